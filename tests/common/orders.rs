//! Runs test bodies in both memory orders.

/// Defines two tests for each test body, one per memory order.
macro_rules! both_orders {
    ($($name:ident)*) => {$(
        mod $name {
            #[test]
            fn row_major() {
                super::$name::<vierbein::RowMajor>();
            }
            #[test]
            fn col_major() {
                super::$name::<vierbein::ColMajor>();
            }
        }
    )*};
}
pub(crate) use both_orders;
