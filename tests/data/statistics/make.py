#!/usr/bin/env python3
"""Writes the operands and results of statistics that tests/tensor/oracle/statistics.rs reads, with NumPy and SciPy themselves.

Run it with any Python that has NumPy 2 or later and SciPy, from any directory.
"""

import os
import warnings

import numpy as np
import scipy.signal

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)


def save(**arrays):
    for name, array in arrays.items():
        np.save(os.path.join(HERE, name + ".npy"), np.ascontiguousarray(array))


# Variables of different scales, with a large mean, and two that depend on others.
x = rng.normal(size=(5, 20)) * np.array([[1], [1e-3], [100], [1], [1]]) + np.array([[0], [5], [1000], [-3], [0]])
x[3] = 2 * x[0] + 0.1 * x[3]
x[4] = -x[0]
save(variables=x, cov0=np.cov(x, ddof=0), cov1=np.cov(x), cov3=np.cov(x, ddof=3), corrcoef=np.corrcoef(x))

xp = np.cumsum(rng.exponential(size=12))
fp = rng.normal(size=12)
at = np.concatenate([rng.uniform(xp[0] - 1, xp[-1] + 1, 40), xp, [-np.inf, np.inf, np.nan, np.nextafter(xp[3], 0)]])
save(xp=xp, fp=fp, at=at.reshape(7, 8), interp=np.interp(at, xp, fp).reshape(7, 8))
# Infinite values: if the formula gives NaN from one end of an interval and a number from the other end, NumPy returns the number.
fp = np.array([0.0, np.inf, np.inf, 1.0, -np.inf, np.nan, 2.0])
at = np.arange(0, 6.25, 0.25)
save(fp_infinite=fp, interp_infinite=np.interp(at, np.arange(7.0), fp))

y = rng.normal(size=(3, 4, 5))
save(y=y, trapezoid0=np.trapezoid(y, dx=0.3, axis=0), trapezoid1=np.trapezoid(y, axis=1), trapezoid2=np.trapezoid(y, dx=-2, axis=2))

y = rng.integers(-9, 9, size=(3, 4, 5)).astype(float)
y[1, 2, 3] = np.nan
y[0, 0, 0] = -np.inf
for axis in range(3):
    save(**{f"cummax{axis}": np.maximum.accumulate(y, axis=axis), f"cummin{axis}": np.minimum.accumulate(y, axis=axis)})
save(with_nan=y)

# NaN in three of ten places, and in all places of one lane of each axis.
y = rng.normal(size=(3, 4, 5))
y[rng.random(y.shape) < 0.3] = np.nan
y[:, 1, 2] = y[2, :, 0] = y[0, 3, :] = np.nan
save(gaps=y)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", RuntimeWarning)  # lanes of NaN
    for axis in range(3):
        save(**{f"nan_sum{axis}": np.nansum(y, axis=axis), f"nan_mean{axis}": np.nanmean(y, axis=axis)})
        save(**{f"nan_prod{axis}": np.nanprod(y, axis=axis), f"nan_var{axis}": np.nanvar(y, axis=axis, ddof=1)})
        save(**{f"nan_std{axis}": np.nanstd(y, axis=axis)})
        save(**{f"nan_max{axis}": np.nanmax(y, axis=axis), f"nan_min{axis}": np.nanmin(y, axis=axis)})
save(nan_whole=np.array([np.nansum(y), np.nanmean(y), np.nanmax(y), np.nanmin(y)]))

special = np.array([[np.nan, -np.inf, np.inf], [1.5, -0.0, 1e308]])
save(special=special, nan_to_num=np.nan_to_num(special))

y = rng.normal(size=(3, 4, 5))
weights = [rng.normal(size=n) + 1 for n in y.shape]
for axis in range(3):
    save(**{f"weights{axis}": weights[axis], f"average{axis}": np.average(y, axis=axis, weights=weights[axis])})
    save(**{f"ptp{axis}": np.ptp(y, axis=axis)})
save(terms=y, polynomial=rng.normal(size=6))
save(polyval=np.polyval(np.load(os.path.join(HERE, "polynomial.npy")), y))

# The results of all pairs and modes, one after the other. The operands are parts of two long vectors.
a, b = rng.normal(size=9), rng.normal(size=9)
save(signal=a, kernel=b)
pairs = [(9, 4), (9, 5), (4, 9), (5, 9), (3, 3), (1, 5), (6, 1)]
modes = ["full", "same", "valid"]
save(convolve=np.concatenate([np.convolve(a[:n], b[:m], mode) for n, m in pairs for mode in modes]))
save(correlate=np.concatenate([np.correlate(a[:n], b[:m], mode) for n, m in pairs for mode in modes]))
a, b = rng.normal(size=(6, 7, 5)), rng.normal(size=(3, 2, 4))
save(image=a, stencil=b)
for name, function in [("convolve", scipy.signal.convolve), ("correlate", scipy.signal.correlate)]:
    save(**{f"{name}_{mode}": function(a, b, mode, method="direct") for mode in modes})

# These operations use no further random numbers, so that the files above do not change.
y = np.load(os.path.join(HERE, "gaps.npy"))
some = y.copy()
some[np.isnan(some).all(axis=1, keepdims=True) & (np.arange(4)[:, None] == 2)] = 0.5
some[np.isnan(some).all(axis=0, keepdims=True) & (np.arange(3)[:, None, None] == 1)] = -0.5
some[np.isnan(some).all(axis=2, keepdims=True) & (np.arange(5) == 3)] = 0.25
save(some_gaps=some)
for axis in range(3):
    save(**{f"nan_argmax{axis}": np.nanargmax(some, axis=axis).astype(float)})
    save(**{f"nan_argmin{axis}": np.nanargmin(some, axis=axis).astype(float)})
a, b = np.load(os.path.join(HERE, "image.npy")), np.load(os.path.join(HERE, "stencil.npy"))
a, b = a + 1j * a[::-1], b - 2j * b[:, :, ::-1]
for name, function in [("convolve", scipy.signal.convolve), ("correlate", scipy.signal.correlate)]:
    for mode in modes:
        z = function(a, b, mode, method="direct")
        save(**{f"{name}_complex_{mode}": np.stack([z.real, z.imag])})
rng = np.random.default_rng(8)
a, b = rng.normal(size=(2, 3, 4, 3)), rng.normal(size=(3, 1, 3))
save(left_vectors=a, right_vectors=b, cross3=np.cross(a, b))
c = rng.normal(size=(2, 3, 4, 3))
save(other_vectors=c, cross1=np.cross(a, c, axis=1))

# Gradients: uniform distances and coordinates, each axis, both orders at the edges; complex values.
rng = np.random.default_rng(89)
y = rng.normal(size=(3, 4, 5))
save(gradients=y)
for axis in range(3):
    x = np.cumsum(rng.exponential(size=y.shape[axis]))
    save(**{f"gradient_at{axis}": x})
    for order in (1, 2):
        save(**{f"gradient{axis}_{order}": np.gradient(y, 0.3, axis=axis, edge_order=order)})
        save(**{f"gradient_of{axis}_{order}": np.gradient(y, x, axis=axis, edge_order=order)})
    save(**{f"trapezoid_at{axis}": np.trapezoid(y, x, axis=axis)})
z = rng.normal(size=(4, 6)) + 1j * rng.normal(size=(4, 6))
z[3] = 1j * z[0]
save(complex_variables=z, complex_cov=np.cov(z), complex_corrcoef=np.corrcoef(z))
save(complex_gradient=np.gradient(z, -0.7, axis=1, edge_order=2))

# Interpolation with values outside of the positions, and with a period, whose positions are not sorted.
xp = rng.uniform(-20, 20, size=9)
fp = rng.normal(size=9)
at = np.concatenate([rng.uniform(-30, 30, 30), xp])
save(periodic_xp=xp, periodic_fp=fp, periodic_at=at, periodic=np.interp(at, xp, fp, period=7.5))
xp = np.sort(xp)
save(sided_xp=xp, sided=np.interp(at, xp, fp, left=-5.5, right=np.nan))

# Weighted quantiles, with weights of 0, and densities.
y = rng.integers(-5, 5, size=(3, 7, 4)).astype(float)
levels = [0, 0.2, 0.5, 0.75, 1]
save(weighted=y)
for axis in range(3):
    w = rng.integers(0, 4, size=y.shape[axis]) + 0.0
    w[0] = 1
    q = np.quantile(y, levels, axis=axis, weights=w, method="inverted_cdf")
    save(**{f"quantile_weights{axis}": w, f"quantile_weighted{axis}": np.moveaxis(q, 0, axis)})
densities, edges = np.histogram(y, bins=6, density=True)
save(densities=densities, density_edges=edges)
