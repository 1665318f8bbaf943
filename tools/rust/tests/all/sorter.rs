use crate::{bytes_of, random, All, Bits, Scratch};
use gsort::{Cancel, Element, Job, Part, Pusher, Report, Sorted, Sorter, Status};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::thread;

fn collect<T: Element>(sorter: Sorter<T>) -> Vec<T> {
    sorter.finish().unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn elements_one_by_one_and_in_slices() {
    for count in [0usize, 1, 1000, 40_000] {
        let mut bits = Bits::new(count as u64);
        let given: Vec<All> = (0..count).map(|_| random(&mut bits)).collect();
        let mut sorter = Job::new().by(&["kind", "name desc"]).sorter::<All>().unwrap();
        let (ones, rest) = given.split_at(count / 2);
        sorter.extend(ones.iter().copied()).unwrap();
        for slice in rest.chunks(777) {
            sorter.push_slice(slice).unwrap();
            sorter.push_slice(&[]).unwrap();
        }
        let mut model = given;
        model.sort_by(|a, b| (a.kind, b.name).cmp(&(b.kind, a.name)));
        assert!(bytes_of(&collect(sorter)) == bytes_of(&model), "{}", count);
    }
}

#[test]
fn options_of_sorters() {
    let mut sorter = Sorter::<u64>::new(&[("unique", "true"), ("reverse", "true")]).unwrap();
    sorter.extend([3, 1, 3, 2]).unwrap();
    assert_eq!(collect(sorter), [3, 2, 1]);
    let mut sorter = Sorter::<i32>::new(&[("top", "2")]).unwrap();
    sorter.extend([3, -1, 2]).unwrap();
    assert_eq!(collect(sorter), [-1, 2]);
    for (name, value) in
        [("count", "true"), ("sum", "0:u32:wide"), ("type", "u32"), ("nonsense", "")]
    {
        let error = Sorter::<u64>::new(&[("unique", "true"), (name, value)]).unwrap_err();
        assert_eq!(error.status(), Status::Usage);
        assert!(error.to_string().contains(name), "{}", error);
    }
}

#[test]
fn more_than_memory() {
    let scratch = Scratch::new();
    let mut sorter = Job::new()
        .set("memory", "16M")
        .set("threads", 2)
        .set("temporary-directory", scratch.path().display())
        .by(&["[0]"])
        .sorter::<[u64; 5]>()
        .unwrap();
    let mut bits = Bits::new(7);
    let mut sum = 0u64;
    for i in 0..1_000_000u64 {
        let key = bits.draw() >> 44;
        sum = sum.wrapping_add(key * i);
        sorter.push([key, i, 1, 2, 3]).unwrap();
    }
    let mut sorted = sorter.finish().unwrap();
    let (mut count, mut last) = (0, (0, 0));
    loop {
        let block = sorted.next_block().unwrap();
        if block.is_empty() {
            break;
        }
        for [key, i, ..] in block {
            assert!((*key, *i) >= last); // stable
            last = (*key, *i);
            sum = sum.wrapping_sub(key * i);
            count += 1;
        }
    }
    assert_eq!((count, sum), (1_000_000, 0));
    assert!(sorted.next().is_none() && sorted.next_block().unwrap().is_empty());
    let report = sorted.report().unwrap();
    assert!(report.u64("spilled_bytes").unwrap() > 20_000_000, "{}", report);
    assert!(report.u64("memory_peak_bytes").unwrap() <= 16 << 20, "{}", report);
    drop(sorted);
    assert!(scratch.is_empty());
}

#[test]
fn threads_push_and_read_parts() {
    let mut sorter = Sorter::<u32>::new(&[("memory", "64M")]).unwrap();
    sorter.push(400_000).unwrap();
    let pusher = sorter.pusher().unwrap();
    thread::scope(|scope| {
        for i in 0..4u32 {
            scope.spawn(move || {
                for slice in (0..100_000).map(|k| k * 4 + i).collect::<Vec<_>>().chunks(1000) {
                    pusher.push_slice(slice).unwrap();
                }
            });
        }
    });
    let mut sorted = sorter.finish().unwrap();
    let firsts: Vec<u32> = thread::scope(|scope| {
        let read = |part: Part<'_, u32>| {
            let all: Vec<u32> = part.collect::<Result<_, _>>().unwrap();
            assert!(all.windows(2).all(|pair| pair[0] + 1 == pair[1]));
            all[0]
        };
        let threads: Vec<_> =
            sorted.parts(3).into_iter().map(|part| scope.spawn(move || read(part))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(firsts, [0, 133_333, 266_667]);
    assert_eq!(sorted.rank(77).unwrap(), 77);
    assert_eq!(sorted.rank_of(&99).unwrap(), 99..100);
    assert_eq!(sorted.rank_of(&500_000).unwrap(), 400_001..400_001);
    assert_eq!(sorted.rank(400_001).unwrap_err().status(), Status::Usage);
    assert_eq!(sorted.report().unwrap().count(), 400_001);
    assert_eq!(sorted.next().unwrap().unwrap(), 0); // from the first one on

    let mut sorter = Sorter::<u32>::new(&[]).unwrap();
    sorter.push(1).unwrap();
    let mut sorted = sorter.finish().unwrap();
    assert_eq!(sorted.next().unwrap().unwrap(), 1);
    assert_eq!(sorted.rank(0).unwrap_err().status(), Status::Usage); // the iteration has begun
}

#[test]
fn a_sorter_that_is_dropped_leaves_nothing() {
    let scratch = Scratch::new();
    let open = || {
        let temporary = scratch.path().display();
        Job::new()
            .set("memory", "16M")
            .set("temporary-directory", temporary)
            .sorter::<u64>()
            .unwrap()
    };
    drop(open());
    let mut sorter = open();
    sorter.push(1).unwrap();
    drop(sorter); // with lent room
    let mut sorter = open();
    sorter.extend(0..5_000_000).unwrap();
    drop(sorter); // while it spills
    let mut sorter = open();
    sorter.extend((0..5_000_000).rev()).unwrap();
    let mut sorted = sorter.finish().unwrap();
    assert_eq!(sorted.next().unwrap().unwrap(), 0);
    assert_eq!(sorted.report().unwrap_err().status(), Status::Usage); // too early
    drop(sorted); // while it merges
    assert!(scratch.is_empty());
}

#[test]
fn cancel() {
    let cancel = Cancel::new().unwrap();
    let mut sorter = Job::new().cancel(&cancel).sorter::<u64>().unwrap();
    sorter.push(1).unwrap();
    let error = thread::scope(|scope| {
        scope.spawn(|| cancel.now());
        loop {
            if let Err(error) = sorter.push_slice(&[1; 1000]) {
                return error;
            }
        }
    });
    assert_eq!((error.status(), error.exit_code()), (Status::Canceled, 3));
    assert_eq!(sorter.push_slice(&[1]).unwrap_err(), error);
    assert_eq!(sorter.finish().unwrap_err(), error);
}

#[test]
fn a_panic_of_progress_continues_in_a_call() {
    let scratch = Scratch::new();
    let mut sorter = Job::new()
        .set("memory", "16M")
        .set("temporary-directory", scratch.path().display())
        .progress(|_| panic!("of progress"))
        .sorter::<u64>()
        .unwrap();
    let payload = catch_unwind(AssertUnwindSafe(|| loop {
        sorter.push_slice(&[1; 1000]).unwrap();
    }))
    .unwrap_err();
    assert_eq!(*payload.downcast::<&str>().unwrap(), "of progress");
    assert_eq!(sorter.finish().unwrap_err().status(), Status::Canceled);
    assert!(scratch.is_empty());
}

#[test]
fn types_that_threads_may_share() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Job<'static>>();
    is_send::<Report>();
    is_send::<Sorter<u64>>();
    is_sync::<Sorter<u64>>();
    is_send::<Sorted<u64>>();
    is_sync::<Sorted<u64>>();
    is_send::<Part<'static, u64>>();
    is_send::<Pusher<'static, u64>>();
    is_sync::<Pusher<'static, u64>>();
    is_send::<Cancel>();
    is_sync::<Cancel>();
    is_send::<gsort::Error>();
    is_sync::<gsort::Error>();
}
