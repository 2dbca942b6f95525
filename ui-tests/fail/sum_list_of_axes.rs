// A list of axes whose length is known at run time only: the rank of the result is not known at compile time. `AnyRank` is such a rank.
use vierbein::prelude::*;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let axes = vec![0, 1];
    let _ = x.sum_axes(&axes);
}
