// The operand must be a tensor: borrowed, owned, or a view.

use vierbein::svd;

fn main() {
    let rows = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
    let (_u, _s, _vh) = svd!("ab -> ak, kb", &rows);
}
