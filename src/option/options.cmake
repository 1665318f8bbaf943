# options.cmake: turns options.md into option_words.h, the macros that the table of options is made of.
#
#     cmake -D SOURCE=options.md -D HEADER=option_words.h -P options.cmake
#
# Each entry of options.md, "### temporary-directory", becomes a macro DESCRIBED_temporary_directory with four members of
# struct gs_option: group, help, manual, daily. `manual` is the paragraph in Markdown, with links as the manual has them.
# `help` is the same without backticks and links, in lines of at most 47 columns. The table asserts that it has WORDS_COUNT
# rows, which is the number of entries; a row without an entry names a macro that does not exist.
cmake_minimum_required(VERSION 3.25)
set(COLUMNS 47) # of 80, after 33 for the option's names

# CMake's lists give ; [ ] and \ a meaning: control characters stand for them until the text is written.
foreach(code 1 2 3 4)
    string(ASCII ${code} control_${code})
endforeach()
file(READ ${SOURCE} text)
string(REPLACE "\\" "${control_1}" text "${text}")
string(REPLACE ";" "${control_2}" text "${text}")
string(REPLACE "[" "${control_3}" text "${text}")
string(REPLACE "]" "${control_4}" text "${text}")

# as_literal(VARIABLE TEXT): a string literal of C.
function(as_literal variable text)
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "${control_1}" "\\\\" text "${text}")
    string(REPLACE "${control_2}" ";" text "${text}")
    string(REPLACE "${control_3}" "[" text "${text}")
    string(REPLACE "${control_4}" "]" text "${text}")
    string(REPLACE "\n" "\\n" text "${text}")
    set(${variable} "\"${text}\"" PARENT_SCOPE)
endfunction()

# as_lines(VARIABLE TEXT): plain text in lines of at most COLUMNS.
function(as_lines variable text)
    string(REGEX REPLACE "${control_3}([^${control_4}]*)${control_4}[(][^)]*[)]" "\\1" text "${text}") # a link
    string(REPLACE "`" "" text "${text}")
    string(REPLACE " " ";" words "${text}")
    set(lines "")
    set(line "")
    foreach(word IN LISTS words)
        string(LENGTH "${line} ${word}" columns)
        if(line STREQUAL "")
            set(line "${word}")
        elseif(columns GREATER COLUMNS)
            string(APPEND lines "${line}\n")
            set(line "${word}")
        else()
            string(APPEND line " ${word}")
        endif()
    endforeach()
    set(${variable} "${lines}${line}" PARENT_SCOPE)
endfunction()

# add_entry(GROUP NAME SHORT TEXT): appends a macro to `made`.
macro(add_entry group name short text)
    if("${group}" STREQUAL "" OR "${text}" STREQUAL "")
        message(FATAL_ERROR "${SOURCE}: the entry '${name}' has no heading above it, or no text")
    endif()
    string(REPLACE "-" "_" macro "${name}")
    as_literal(group_literal "${group}")
    string(REPLACE "(../../tools/gsort/MANUAL.md#" "(#" manual "${text}")
    string(REPLACE "(../../tools/gsort/" "(" manual "${manual}")
    as_literal(manual "${manual}")
    as_lines(help "${text}")
    as_literal(help "${help}")
    set(daily NULL)
    if(NOT "${short}" STREQUAL "")
        as_literal(daily "${short}")
    endif()
    string(APPEND made "#define DESCRIBED_${macro} \\\n    .group = ${group_literal}, \\\n    .help = ${help}, \\\n"
        "    .manual = ${manual}, \\\n    .daily = ${daily}\n")
    math(EXPR count "${count} + 1")
endmacro()

set(made "/* Made of options.md by options.cmake: edits are lost. */\n#ifndef OPTION_WORDS_H\n#define OPTION_WORDS_H\n")
set(count 0)
set(group "")
set(name "")
string(REPLACE "\n" ";" lines "${text}\n## ")
foreach(line IN LISTS lines)
    if(line MATCHES "^##")
        if(NOT name STREQUAL "")
            add_entry("${group}" "${name}" "${short}" "${paragraph}")
        endif()
        set(name "")
        set(short "")
        set(paragraph "")
    endif()
    if(line MATCHES "^## (.*)$")
        set(group "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^### ([a-z0-9-]+)$")
        set(name "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^- short: (.*)$")
        set(short "${CMAKE_MATCH_1}")
    elseif(NOT name STREQUAL "" AND line MATCHES "^(#|- )")
        message(FATAL_ERROR "${SOURCE}: '${name}': cannot read the line '${line}'")
    elseif(NOT name STREQUAL "" AND NOT line STREQUAL "")
        string(APPEND paragraph " ${line}")
        string(STRIP "${paragraph}" paragraph)
    endif()
endforeach()
string(APPEND made "#define WORDS_COUNT ${count}\n#endif\n")
file(WRITE ${HEADER} "${made}")
