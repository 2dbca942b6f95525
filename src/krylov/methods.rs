//! Each iterative method has three functions. The first takes a closure that returns the operator's result, the second a closure that can
//! fail, and the third a closure that writes the result to a given tensor. The third is implemented, and the others call it.

/// Defines the three functions of each method. `$f` are the closures of the method; `$P` are the types of a closure's arguments after the
/// tensor. `$arg` are the arguments of the method after the closures.
macro_rules! methods {
    ($(
        $(#[$doc:meta])*
        $name:ident, $try_name:ident, $name_into:ident
            ($($f:ident($($p:ident: $P:ty),*)),+; $($arg:ident: $Arg:ty),*) -> $Out:ty $(where Dev: $Bound:path)?
            $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Variants
        #[doc = concat!("[`", stringify!($try_name), "`] takes closures that return a `Result`, [`", stringify!($name_into), "`] those that")]
        /// write their result to a given tensor.
        pub fn $name<T, D, O, Dev>(
            $(mut $f: impl FnMut(TensorView<'_, T, D, O, Dev> $(, $P)*) -> Tensor<T, D, O, Dev>,)+
            $($arg: $Arg),*
        ) -> Result<$Out, Error>
        where
            T: LinalgElement,
            D: Dim,
            O: Order,
            Dev: Backend<T> $(+ $Bound)?,
        {
            $name_into(
                $(|x: TensorView<'_, T, D, O, Dev> $(, $p: $P)*, y: &mut Tensor<T, D, O, Dev>| {
                    *y = $f(x $(, $p)*);
                    Ok(())
                },)+
                $($arg),*
            )
        }

        #[doc = concat!("[`", stringify!($name), "`] for closures that can fail. An error of a closure ends the iteration and is returned.")]
        ///
        /// # Errors
        #[doc = concat!("Those of the closures and of [`", stringify!($name), "`].")]
        pub fn $try_name<T, D, O, Dev>(
            $(mut $f: impl FnMut(TensorView<'_, T, D, O, Dev> $(, $P)*) -> Result<Tensor<T, D, O, Dev>, Error>,)+
            $($arg: $Arg),*
        ) -> Result<$Out, Error>
        where
            T: LinalgElement,
            D: Dim,
            O: Order,
            Dev: Backend<T> $(+ $Bound)?,
        {
            $name_into(
                $(|x: TensorView<'_, T, D, O, Dev> $(, $p: $P)*, y: &mut Tensor<T, D, O, Dev>| {
                    *y = $f(x $(, $p)*)?;
                    Ok(())
                },)+
                $($arg),*
            )
        }

        #[doc = concat!("[`", stringify!($name), "`] for closures that write their result to their last argument, so that they allocate no tensor.")]
        ///
        /// The last argument has the shape of the first argument. Its elements are unspecified, and the closure must write all of them. An
        /// error of a closure ends the iteration and is returned. The module [`linalg`](crate::linalg) has an example.
        ///
        /// # Errors
        #[doc = concat!("Those of the closures and of [`", stringify!($name), "`].")]
        pub fn $name_into<T, D, O, Dev>(
            $($f: impl FnMut(
                TensorView<'_, T, D, O, Dev>,
                $($P,)*
                &mut Tensor<T, D, O, Dev>,
            ) -> Result<(), Error>,)+
            $($arg: $Arg),*
        ) -> Result<$Out, Error>
        where
            T: LinalgElement,
            D: Dim,
            O: Order,
            Dev: Backend<T> $(+ $Bound)?,
        $body
    )*};
}
pub(super) use methods;
