//! Implements [`Decompose`] for [`Cpu`], and [`LinalgElement`] for the element types that have kernels.

use super::eig::Eigen;
use super::{cholesky, eig, eigh, ldl, lu, qr, schur, solve, svd};
use crate::device::Cpu;
use crate::device::family::argument;
use crate::device::family::decompose::{Decompose, Kernels, LinalgElement, Structure, decompose};
use crate::element::{Scalar, c32, c64};
use crate::error::Error;

/// Implements [`Decompose`] for the CPU by [`Kernels`], which are instantiated for each element type.
macro_rules! kernels {
    (
        $(#[$attribute:meta])*
        pub trait $Family:ident<$T:ident: $Bound:ident> {
            $(
                $(#[$doc:meta])*
                fn $name:ident ($($arg:ident: $kind:ident[$($of:tt)*]),*);
            )*
        }
        on the host {
            $(
                $(#[$host_doc:meta])*
                fn $host_name:ident ($($host_arg:ident: $host_kind:ident[$($host_of:tt)*]),*);
            )*
        }
        trait items {}
        cuda items {}
    ) => {
        /// Instantiates the kernels of the CPU.
        const fn instances<$T: Eigen>() -> Kernels<$T> {
            Kernels {
                $($name: $name::$name,)*
                $($host_name: $host_name::$host_name,)*
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$T: $Bound> $Family<$T> for Cpu {
            $(
                fn $name(&self, $($arg: argument!($kind [$($of)*] Self)),*) -> Result<(), Error> {
                    (T::kernels().$name)($($arg),*)
                }
            )*
            $(
                fn $host_name(&self, $($host_arg: argument!($host_kind [$($host_of)*] Self)),*) -> Result<(), Error> {
                    (T::kernels().$host_name)($($host_arg),*)
                }
            )*
        }
    };
}
decompose!(kernels);

/// Implements [`LinalgElement`].
macro_rules! linalg_elements {
    ($($T:ident $R:ident $C:ident $from_complex:expr),*) => {$(
        #[diagnostic::do_not_recommend]
        impl LinalgElement for $T {
            type Complex = $C;
            fn complex(re: $R, im: $R) -> $C {
                $C::new(re, im)
            }
            fn to_complex(self) -> $C {
                $C::new(Scalar::re(self), Scalar::im(self))
            }
            fn from_complex(x: $C) -> $T {
                $from_complex(x)
            }
            fn kernels() -> &'static Kernels<$T> {
                static KERNELS: Kernels<$T> = instances();
                &KERNELS
            }
        }
    )*};
}
linalg_elements!(f32 f32 c32 Scalar::re, f64 f64 c64 Scalar::re, c32 f32 c32 core::convert::identity, c64 f64 c64 core::convert::identity);
