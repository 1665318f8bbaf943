use crate::{bytes_of, random, All, Bits, Packed, Point};
use gsort::{argsort, sort, sort_by, Element, Job, Status};
use std::cmp::Ordering;

/// Sorts some elements, and compares all bytes with a stable sort of the standard library.
fn check<T: Element>(keys: &[&str], compare: impl Fn(&T, &T) -> Ordering) {
    for count in [0, 1, 2, 7, 1000] {
        let mut bits = Bits::new(count);
        let given: Vec<T> = (0..count)
            .map(|i| if i % 3 == 2 { random(&mut Bits::new(5)) } else { random(&mut bits) })
            .collect();
        let mut model: Vec<usize> = (0..given.len()).collect();
        model.sort_by(|a, b| compare(&given[*a], &given[*b]));
        assert_eq!(Job::new().by(keys).argsort(&given).unwrap(), model, "{:?}", keys);
        let model: Vec<T> = model.iter().map(|i| given[*i]).collect();
        let mut sorted = given;
        sort_by(&mut sorted, keys).unwrap();
        assert!(bytes_of(&sorted) == bytes_of(&model), "{:?}", keys);
        Job::new().by(keys).check(&sorted).unwrap();
    }
}

#[test]
fn numbers() {
    macro_rules! check_numbers {
        ($($type:ident)*) => { $( check::<$type>(&[], Ord::cmp); )* };
    }
    check_numbers! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize u128 i128 }
    check::<f32>(&[], f32_order);
    check::<f64>(&[], f64_order);
}

/// -0 before 0; NaNs are last, by their bits.
fn f64_order(a: &f64, b: &f64) -> Ordering {
    a.is_nan().cmp(&b.is_nan()).then_with(|| a.total_cmp(b))
}

fn f32_order(a: &f32, b: &f32) -> Ordering {
    a.is_nan().cmp(&b.is_nan()).then_with(|| a.total_cmp(b))
}

#[test]
fn arrays_and_structs_have_the_order_of_rust() {
    check::<[u8; 10]>(&[], Ord::cmp);
    check::<[i32; 3]>(&[], Ord::cmp);
    check::<[[u16; 2]; 2]>(&[], Ord::cmp);
    check::<Point>(&[], Ord::cmp);
    check::<[Point; 2]>(&[], Ord::cmp);
}

#[test]
fn keys_of_the_type() {
    check::<All>(&[], |a, b| {
        let key = |all: &All| (std::cmp::Reverse(all.cells[1].y), all.name, all.kind);
        key(a).cmp(&key(b))
    });
    check::<Packed>(&[], |a, b| f64_order(&{ b.weight }, &{ a.weight }));
}

#[test]
fn keys_by_name() {
    check::<All>(&["tiny"], |a, b| a.tiny.cmp(&b.tiny));
    check::<All>(&["wide desc"], |a, b| b.wide.cmp(&a.wide));
    check::<All>(&["signed_wide"], |a, b| a.signed_wide.cmp(&b.signed_wide));
    check::<All>(&["kind", "price desc"], |a, b| {
        a.kind.cmp(&b.kind).then_with(|| f64_order(&b.price, &a.price))
    });
    check::<All>(&["type", "ratio"], |a, b| {
        a.r#type.cmp(&b.r#type).then_with(|| f32_order(&a.ratio, &b.ratio))
    });
    check::<All>(&["lanes"], |a, b| a.lanes.cmp(&b.lanes));
    check::<All>(&["lanes[3] desc", "name desc"], |a, b| {
        (b.lanes[3], b.name).cmp(&(a.lanes[3], a.name))
    });
    check::<All>(&["cells desc"], |a, b| b.cells.cmp(&a.cells));
    check::<All>(&["cells[2].x", "time"], |a, b| {
        (a.cells[2].x, a.time).cmp(&(b.cells[2].x, b.time))
    });
    check::<All>(&["40:i64:desc"], |a, b| b.time.cmp(&a.time));
    check::<u64>(&["0:uint8"], |a, b| a.to_ne_bytes()[0].cmp(&b.to_ne_bytes()[0]));
}

#[test]
fn records_with_equal_keys_keep_their_order() {
    let mut points: Vec<Point> =
        (0..10_000).map(|i| Point { x: (i % 3) as i16, y: i as u16 }).collect();
    sort_by(&mut points, &["x desc"]).unwrap();
    assert!(points.windows(2).all(|w| w[0].x > w[1].x || (w[0].x == w[1].x && w[0].y < w[1].y)));
}

#[test]
fn options() {
    let mut numbers = [3u64, 1, 2];
    let mut job = Job::new().set("reverse", true).set("threads", 1).set("memory", "64M");
    let report = job.sort(&mut numbers).unwrap();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(
        (report.count(), report.min(), report.max(), report.sum()),
        (3, Some(1u8), Some(3u64), Some(6i128))
    );
    assert_eq!(report.f64("tally.sum"), Some(6.0));
    assert_eq!(report.get::<bool>("reverse"), Some(true));
    assert_eq!(
        (report.text("type"), report.text("find"), report.u64("nothing")),
        (Some("u64".to_string()), None, None)
    );
    assert!(report.json().contains("\"tally\"") && report.to_string().contains("elements"));
    job.check(&numbers).unwrap(); // the same job again
}

#[test]
fn failures() {
    let mut trades = [random::<All>(&mut Bits::new(1)); 2];
    for (key, text) in [
        ("prise", "key 'prise': there is no field 'prise'; fields are wide, signed_wide"),
        ("cells[3]", "key 'cells[3]': '[3]' is none of the items [0] to [2]"),
        ("cells[0", "'[0' is none of the items"),
        ("time.x", "key 'time.x': a number (i64) has no part 'x'"),
        ("", "there is no field ''"),
        ("0:nonsense", "nonsense"),
        ("9999:u64", "9999"),
    ] {
        let error = sort_by(&mut trades, &[key]).unwrap_err();
        assert_eq!((error.status(), error.exit_code()), (Status::Usage, 2), "{}", error);
        assert!(error.to_string().contains(text), "{}", error);
    }
    for (name, value) in [("type", "u32"), ("nonsense", "1"), ("memory", "lots"), ("memory", "1\0")]
    {
        let error = Job::new().set(name, value).sort(&mut [1u64]).unwrap_err();
        assert_eq!(error.status(), Status::Usage);
        assert!(error.to_string().contains(if value == "1\0" { "1?" } else { name }), "{}", error);
    }
    assert!(sort(&mut [[0u8; 0]; 3]).is_err());

    let mut job = Job::new();
    let error = job.check(&[1u64, 3, 2]).unwrap_err();
    assert_eq!((error.status(), error.exit_code(), error.os_error()), (Status::Disorder, 1, None));
    assert_eq!(job.failed_report().unwrap().u64("disorder.index"), Some(2));
    assert_eq!(std::io::Error::from(error.clone()).to_string(), error.to_string());
    assert_eq!(argsort(&[2u8, 1]).unwrap(), [1, 0]);
    assert_eq!(gsort::version(), env!("CARGO_PKG_VERSION"));
}
