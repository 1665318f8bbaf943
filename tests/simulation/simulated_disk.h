/* simulated_disk.h: simulates a power failure. It records all changes of files and directories
 * until they are synced. A crash drops a random part of them and ends the process.
 *
 *     data         the last changes of any sectors, sizes and holes that no sync of their file
 *                  followed
 *     directories  the last new, replaced and removed names that no sync of their directory
 *                  followed, as on a journaling file system
 *
 * CrashMonkey and the crash tests of SQLite work like this. Everything is real until the crash: the
 * recorder stores old bytes and links old names into the directory `g`. */
#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

#include <stdint.h>

/* disk_begin: from now on, changes are recorded. Call it in a child process.
 * disk_crash: does not return; the process ends with `exit_code`. */
void disk_begin(void);
_Noreturn void disk_crash(int exit_code);

#endif
