use crate::{bytes_of, random, All, Bits, Scratch};
use gsort::{Action, Cancel, Job, Status};
use std::fs;
use std::io::{self, Read, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn files() {
    let scratch = Scratch::new();
    let (a, b, out) = (scratch.file("a.u64"), scratch.file("b"), scratch.file("out"));
    fs::write(&a, bytes_of(&[5u64, 1])).unwrap();
    fs::write(&b, bytes_of(&[3u64, 4])).unwrap();
    let report = gsort::sort_file::<u64>(&a, &out, &[("memory", "64M")]).unwrap();
    assert_eq!((report.count(), report.sum()), (2, Some(6u64)));
    assert_eq!(fs::read(&out).unwrap(), bytes_of(&[1u64, 5]));
    let mut job = Job::of::<u64>().input(&a).input(&b).output(&out).set("reverse", true);
    job.run(Action::Sort).unwrap();
    assert_eq!(fs::read(&out).unwrap(), bytes_of(&[5u64, 4, 3, 1]));
    let stats = Job::new().input(&a).run(Action::Stats).unwrap(); // its name tells the type
    assert_eq!(stats.max(), Some(5));
    Job::new().input(&a).output(&out).run(Action::Explain).unwrap();
    let error = Job::new().input(&a).run(Action::Check).unwrap_err();
    assert_eq!(error.status(), Status::Disorder);
    let error = Job::new().input(scratch.file("none.u64")).run(Action::Stats).unwrap_err();
    assert_eq!((error.status(), error.exit_code(), error.os_error()), (Status::Input, 2, Some(2)));
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::NotFound);
}

#[test]
fn files_of_records() {
    let scratch = Scratch::new();
    let (a, out) = (scratch.file("a"), scratch.file("out"));
    let mut bits = Bits::new(1);
    let mut all: Vec<All> = (0..1000).map(|_| random(&mut bits)).collect();
    fs::write(&a, bytes_of(&all)).unwrap();
    Job::of::<All>().by(&["time desc"]).input(&a).output(&out).run(Action::Sort).unwrap();
    all.sort_by_key(|all| std::cmp::Reverse(all.time));
    assert!(fs::read(&out).unwrap() == bytes_of(&all));
}

/// Fails or panics after some bytes.
struct Broken(usize, fn() -> io::Result<usize>);

impl Read for Broken {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return (self.1)();
        }
        let bytes = data.len().min(self.0);
        data[..bytes].fill(7);
        self.0 -= bytes;
        Ok(bytes)
    }
}

#[test]
fn readers_and_writers() {
    let mut bits = Bits::new(2);
    let mut numbers: Vec<u32> = (0..100_000).map(|_| bits.draw() as u32).collect();
    let (mut out, mut notes) = (Vec::new(), 0);
    let input = bytes_of(&numbers).to_vec();
    let mut job = Job::new()
        .reader("numbers.u32", &input[..200_000], Some(200_000))
        .reader("more.u32", &input[200_000..], None)
        .writer("sorted.u32", &mut out)
        .note(|_| notes += 1);
    assert_eq!(job.run(Action::Sort).unwrap().count(), 100_000);
    drop(job);
    numbers.sort_unstable();
    assert!(out == bytes_of(&numbers));
}

#[test]
fn readers_and_writers_that_fail() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(28))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let read = |reader| Job::new().reader("x.u64", reader, None).run(Action::Stats);
    let error = read(Broken(800, || Err(io::Error::new(io::ErrorKind::Other, "the tape tore"))))
        .unwrap_err();
    assert_eq!((error.status(), error.os_error()), (Status::Io, None));
    assert!(error.to_string().contains("x.u64: the tape tore"), "{}", error);
    let error = read(Broken(0, || Err(io::Error::from_raw_os_error(5)))).unwrap_err();
    assert_eq!(error.os_error(), Some(5));
    assert_eq!(read(Broken(8000, || Ok(0))).unwrap().count(), 1000);
    let input = bytes_of(&[1u64, 2]);
    let mut job = Job::new().reader("x.u64", input, None).writer("y.u64", Full);
    assert_eq!(job.run(Action::Sort).unwrap_err().os_error(), Some(28));
}

#[test]
fn panics_of_closures_continue_in_the_call() {
    let panicked = |job: &mut Job<'_>| {
        let payload = catch_unwind(AssertUnwindSafe(|| job.run(Action::Sort))).unwrap_err();
        *payload.downcast::<&str>().unwrap()
    };
    let scratch = Scratch::new();
    let out = scratch.file("out.u64");
    let reader = Broken(80_000, || panic!("of a reader"));
    let mut job = Job::new().reader("x.u64", reader, None).output(&out);
    assert_eq!(panicked(&mut job), "of a reader");
    assert!(job.run(Action::Sort).is_err()); // it is not called again
    let zeros = || io::repeat(0).take(1 << 30);
    let mut job = Job::new()
        .reader("x.u64", zeros(), None)
        .output(&out)
        .set("memory", "64M")
        .set("temporary-directory", scratch.path().display())
        .progress(|_| panic!("of progress"));
    assert_eq!(panicked(&mut job), "of progress");
    struct Bad;
    impl Write for Bad {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("of a writer")
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut job = Job::new().reader("x.u64", Broken(80, || Ok(0)), None).writer("out.u64", Bad);
    assert_eq!(panicked(&mut job), "of a writer");
    assert!(scratch.is_empty());
}

#[test]
fn progress_cancels() {
    let scratch = Scratch::new();
    let cancel = Cancel::new().unwrap();
    let is_called = AtomicBool::new(false);
    let error = Job::new()
        .reader("x.u64", io::repeat(1), None) // without end
        .output(scratch.file("out.u64"))
        .set("memory", "64M")
        .set("temporary-directory", scratch.path().display())
        .progress(|now| {
            assert!(now.bytes_total.is_none() && now.elapsed >= now.phase_elapsed, "{:?}", now);
            is_called.store(true, Ordering::Relaxed);
            cancel.now();
        })
        .cancel(&cancel)
        .run(Action::Sort)
        .unwrap_err();
    assert_eq!((error.status(), error.exit_code()), (Status::Canceled, 3));
    assert!(is_called.load(Ordering::Relaxed) && scratch.is_empty());
    let error = Job::new().cancel(&cancel).sort(&mut [2u64, 1]).unwrap_err();
    assert_eq!(error.status(), Status::Canceled);
}
