//! The programs in `pass` are corrected versions of those in `fail`. They are modules of this test, because trybuild would build them
//! one by one.

#![allow(dead_code, unused, unreachable_pub, clippy::all)]

#[path = "../pass/any_rank.rs"]
mod any_rank;
#[path = "../pass/arange_of_complex.rs"]
mod arange_of_complex;
#[path = "../pass/arange_of_integers.rs"]
mod arange_of_integers;
#[path = "../pass/assign_to_slice.rs"]
mod assign_to_slice;
#[path = "../pass/at_rank.rs"]
mod at_rank;
#[path = "../pass/axes_as_one.rs"]
mod axes_as_one;
#[path = "../pass/axis_float.rs"]
mod axis_float;
#[path = "../pass/axis_out_of_range.rs"]
mod axis_out_of_range;
#[path = "../pass/bool_add.rs"]
mod bool_add;
#[path = "../pass/bool_max.rs"]
mod bool_max;
#[path = "../pass/bool_sum.rs"]
mod bool_sum;
#[path = "../pass/broadcast_to_smaller.rs"]
mod broadcast_to_smaller;
#[path = "../pass/buffer_shared.rs"]
mod buffer_shared;
#[path = "../pass/compare_with_scalar.rs"]
mod compare_with_scalar;
#[path = "../pass/complex_argmax.rs"]
mod complex_argmax;
#[path = "../pass/complex_bottom_k.rs"]
mod complex_bottom_k;
#[path = "../pass/complex_floor.rs"]
mod complex_floor;
#[path = "../pass/complex_less.rs"]
mod complex_less;
#[path = "../pass/complex_max.rs"]
mod complex_max;
#[path = "../pass/complex_to_real.rs"]
mod complex_to_real;
#[path = "../pass/concatenate_axis.rs"]
mod concatenate_axis;
#[path = "../pass/concatenate_devices.rs"]
mod concatenate_devices;
#[path = "../pass/concatenate_orders.rs"]
mod concatenate_orders;
#[path = "../pass/cuda_as_slice.rs"]
mod cuda_as_slice;
#[path = "../pass/cuda_equal.rs"]
mod cuda_equal;
#[path = "../pass/cuda_index.rs"]
mod cuda_index;
#[path = "../pass/cuda_iter.rs"]
mod cuda_iter;
#[path = "../pass/cuda_map.rs"]
mod cuda_map;
#[path = "../pass/cuda_source_literal.rs"]
mod cuda_source_literal;
#[path = "../pass/cuda_source_safe.rs"]
mod cuda_source_safe;
#[path = "../pass/cuda_source_type.rs"]
mod cuda_source_type;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/det_rank.rs"]
mod det_rank;
#[path = "../pass/device_generic.rs"]
mod device_generic;
#[path = "../pass/device_host_and_gpu.rs"]
mod device_host_and_gpu;
#[path = "../pass/device_sqrt.rs"]
mod device_sqrt;
#[path = "../pass/device_sum.rs"]
mod device_sum;
#[path = "../pass/device_two_gpus.rs"]
mod device_two_gpus;
#[path = "../pass/device_without_element.rs"]
mod device_without_element;
#[path = "../pass/device_without_gemm.rs"]
mod device_without_gemm;
#[path = "../pass/diagonal_of_vector.rs"]
mod diagonal_of_vector;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/discarded_of_svd.rs"]
mod discarded_of_svd;
#[path = "../pass/dot_of_matrix.rs"]
mod dot_of_matrix;
#[path = "../pass/dtype_add.rs"]
mod dtype_add;
#[path = "../pass/dtype_assign.rs"]
mod dtype_assign;
#[path = "../pass/dtype_matmul.rs"]
mod dtype_matmul;
#[path = "../pass/dtype_maximum.rs"]
mod dtype_maximum;
#[path = "../pass/dtype_scalar.rs"]
mod dtype_scalar;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/eigh_values_type.rs"]
mod eigh_values_type;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/eigvalsh_rank.rs"]
mod eigvalsh_rank;
#[path = "../pass/einsum_arrow.rs"]
mod einsum_arrow;
#[path = "../pass/einsum_bool.rs"]
mod einsum_bool;
#[path = "../pass/einsum_count.rs"]
mod einsum_count;
#[path = "../pass/einsum_device.rs"]
mod einsum_device;
#[path = "../pass/einsum_dtype.rs"]
mod einsum_dtype;
#[path = "../pass/einsum_ellipsis_rank.rs"]
mod einsum_ellipsis_rank;
#[path = "../pass/einsum_ellipsis_result.rs"]
mod einsum_ellipsis_result;
#[path = "../pass/einsum_generic_device.rs"]
mod einsum_generic_device;
#[path = "../pass/einsum_generic_rank.rs"]
mod einsum_generic_rank;
#[path = "../pass/einsum_into_dtype.rs"]
mod einsum_into_dtype;
#[path = "../pass/einsum_into_order.rs"]
mod einsum_into_order;
#[path = "../pass/einsum_into_rank.rs"]
mod einsum_into_rank;
#[path = "../pass/einsum_label.rs"]
mod einsum_label;
#[path = "../pass/einsum_operand_rank.rs"]
mod einsum_operand_rank;
#[path = "../pass/einsum_order.rs"]
mod einsum_order;
#[path = "../pass/einsum_owned.rs"]
mod einsum_owned;
#[path = "../pass/einsum_result_label.rs"]
mod einsum_result_label;
#[path = "../pass/einsum_result_rank.rs"]
mod einsum_result_rank;
#[path = "../pass/einsum_run_time.rs"]
mod einsum_run_time;
#[path = "../pass/einsum_scalar.rs"]
mod einsum_scalar;
#[path = "../pass/einsum_too_many.rs"]
mod einsum_too_many;
#[path = "../pass/equal_orders.rs"]
mod equal_orders;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_bond_in_one.rs"]
mod factor_bond_in_one;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_device.rs"]
mod factor_device;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_integers.rs"]
mod factor_integers;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_label_in_both.rs"]
mod factor_label_in_both;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_label_lost.rs"]
mod factor_label_lost;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_label_twice.rs"]
mod factor_label_twice;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_of_dynamic.rs"]
mod factor_of_dynamic;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_operand_rank.rs"]
mod factor_operand_rank;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_option.rs"]
mod factor_option;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_order.rs"]
mod factor_order;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_polar.rs"]
mod factor_polar;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_rank.rs"]
mod factor_rank;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_results.rs"]
mod factor_results;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_scalar.rs"]
mod factor_scalar;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_three_terms.rs"]
mod factor_three_terms;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_two_bonds.rs"]
mod factor_two_bonds;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/factor_unpaired.rs"]
mod factor_unpaired;
#[cfg(feature = "fft")]
#[path = "../pass/fft/fft_of_integers.rs"]
mod fft_of_integers;
#[path = "../pass/float_and.rs"]
mod float_and;
#[path = "../pass/float_not.rs"]
mod float_not;
#[path = "../pass/float_times_eye.rs"]
mod float_times_eye;
#[path = "../pass/generic_broadcast.rs"]
mod generic_broadcast;
#[path = "../pass/generic_cast.rs"]
mod generic_cast;
#[path = "../pass/generic_constant.rs"]
mod generic_constant;
#[path = "../pass/generic_device.rs"]
mod generic_device;
#[path = "../pass/generic_element.rs"]
mod generic_element;
#[path = "../pass/generic_norm.rs"]
mod generic_norm;
#[path = "../pass/generic_struct.rs"]
mod generic_struct;
#[path = "../pass/generic_trace.rs"]
mod generic_trace;
#[path = "../pass/index_length.rs"]
mod index_length;
#[path = "../pass/index_mask.rs"]
mod index_mask;
#[path = "../pass/index_type.rs"]
mod index_type;
#[path = "../pass/index_without_array.rs"]
mod index_without_array;
#[path = "../pass/integer_pow_by_float.rs"]
mod integer_pow_by_float;
#[path = "../pass/integer_pow_by_floats.rs"]
mod integer_pow_by_floats;
#[path = "../pass/integer_sqrt.rs"]
mod integer_sqrt;
#[path = "../pass/into_other_dtype.rs"]
mod into_other_dtype;
#[path = "../pass/into_other_order.rs"]
mod into_other_order;
#[path = "../pass/into_smaller_rank.rs"]
mod into_smaller_rank;
#[path = "../pass/into_view.rs"]
mod into_view;
#[cfg(feature = "fft")]
#[path = "../pass/fft/irfft_of_real.rs"]
mod irfft_of_real;
#[path = "../pass/item_of_vector.rs"]
mod item_of_vector;
#[path = "../pass/linspace_of_integers.rs"]
mod linspace_of_integers;
#[path = "../pass/log_without_base.rs"]
mod log_without_base;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/lstsq_of_scalar.rs"]
mod lstsq_of_scalar;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/lstsq_orders.rs"]
mod lstsq_orders;
#[path = "../pass/map_with_rc.rs"]
mod map_with_rc;
#[path = "../pass/mask_rank.rs"]
mod mask_rank;
#[path = "../pass/mask_type.rs"]
mod mask_type;
#[path = "../pass/matmul_of_scalar.rs"]
mod matmul_of_scalar;
#[path = "../pass/matrix_into_row.rs"]
mod matrix_into_row;
#[path = "../pass/negate_unsigned.rs"]
mod negate_unsigned;
#[path = "../pass/number_any.rs"]
mod number_any;
#[path = "../pass/number_to_bool.rs"]
mod number_to_bool;
#[path = "../pass/order_add.rs"]
mod order_add;
#[path = "../pass/order_add_assign.rs"]
mod order_add_assign;
#[path = "../pass/order_assign.rs"]
mod order_assign;
#[path = "../pass/order_matmul.rs"]
mod order_matmul;
#[path = "../pass/order_not_free.rs"]
mod order_not_free;
#[path = "../pass/order_not_inferred.rs"]
mod order_not_inferred;
#[path = "../pass/outer_too_large.rs"]
mod outer_too_large;
#[path = "../pass/own_agreement.rs"]
mod own_agreement;
#[path = "../pass/own_element.rs"]
mod own_element;
#[path = "../pass/own_function.rs"]
mod own_function;
#[path = "../pass/own_order.rs"]
mod own_order;
#[path = "../pass/own_rank.rs"]
mod own_rank;
#[path = "../pass/pad_widths.rs"]
mod pad_widths;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/polyfit_of_integers.rs"]
mod polyfit_of_integers;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/polyfit_to_scalar.rs"]
mod polyfit_to_scalar;
#[path = "../pass/ragged_rows.rs"]
mod ragged_rows;
#[path = "../pass/rank_grows_too_large.rs"]
mod rank_grows_too_large;
#[path = "../pass/rank_of_result.rs"]
mod rank_of_result;
#[path = "../pass/rank_too_large.rs"]
mod rank_too_large;
#[path = "../pass/rank_too_large_shape.rs"]
mod rank_too_large_shape;
#[path = "../pass/real_matmul_complex.rs"]
mod real_matmul_complex;
#[path = "../pass/real_times_complex.rs"]
mod real_times_complex;
#[path = "../pass/reduce_into_rank.rs"]
mod reduce_into_rank;
#[cfg(feature = "fft")]
#[path = "../pass/fft/rfft_of_complex.rs"]
mod rfft_of_complex;
#[cfg(feature = "fft")]
#[path = "../pass/fft/rfft_of_integers.rs"]
mod rfft_of_integers;
#[path = "../pass/round_integers_to.rs"]
mod round_integers_to;
#[path = "../pass/select_by_number.rs"]
mod select_by_number;
#[path = "../pass/shape_length.rs"]
mod shape_length;
#[path = "../pass/shape_tuple.rs"]
mod shape_tuple;
#[path = "../pass/shift_of_floats.rs"]
mod shift_of_floats;
#[path = "../pass/slice_by_float.rs"]
mod slice_by_float;
#[path = "../pass/slice_by_float_range.rs"]
mod slice_by_float_range;
#[path = "../pass/slice_too_few.rs"]
mod slice_too_few;
#[path = "../pass/slice_too_many.rs"]
mod slice_too_many;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/solve_dtypes.rs"]
mod solve_dtypes;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/solve_of_scalar.rs"]
mod solve_of_scalar;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/solve_orders.rs"]
mod solve_orders;
#[path = "../pass/stack_devices.rs"]
mod stack_devices;
#[path = "../pass/stack_rank.rs"]
mod stack_rank;
#[path = "../pass/sum_as_bool.rs"]
mod sum_as_bool;
#[path = "../pass/sum_as_narrower.rs"]
mod sum_as_narrower;
#[path = "../pass/sum_list_of_axes.rs"]
mod sum_list_of_axes;
#[path = "../pass/sum_of_floats_as_integer.rs"]
mod sum_of_floats_as_integer;
#[path = "../pass/sum_too_many_axes.rs"]
mod sum_too_many_axes;
#[path = "../pass/sum_with_axis.rs"]
mod sum_with_axis;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/svd_as_tuple.rs"]
mod svd_as_tuple;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/svd_device.rs"]
mod svd_device;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/svd_generic_device.rs"]
mod svd_generic_device;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/svd_of_integers.rs"]
mod svd_of_integers;
#[cfg(feature = "linalg")]
#[path = "../pass/linalg/svd_of_vector.rs"]
mod svd_of_vector;
#[path = "../pass/take_array_float.rs"]
mod take_array_float;
#[path = "../pass/take_float.rs"]
mod take_float;
#[path = "../pass/take_of_scalar.rs"]
mod take_of_scalar;
#[path = "../pass/take_rank.rs"]
mod take_rank;
#[path = "../pass/tensor_for_view.rs"]
mod tensor_for_view;
#[path = "../pass/tensordot_axes.rs"]
mod tensordot_axes;
#[path = "../pass/tensordot_result.rs"]
mod tensordot_result;
#[path = "../pass/trace_of_vector.rs"]
mod trace_of_vector;
#[path = "../pass/trace_same_axis.rs"]
mod trace_same_axis;
#[path = "../pass/transpose_of_rank_3.rs"]
mod transpose_of_rank_3;
#[path = "../pass/tril_of_vector.rs"]
mod tril_of_vector;
#[path = "../pass/two_mutable_views.rs"]
mod two_mutable_views;
#[path = "../pass/untyped_zeros.rs"]
mod untyped_zeros;
#[path = "../pass/used_after_sum.rs"]
mod used_after_sum;
#[path = "../pass/usize_elements.rs"]
mod usize_elements;
#[path = "../pass/usize_elements_inferred.rs"]
mod usize_elements_inferred;
#[path = "../pass/view_for_tensor.rs"]
mod view_for_tensor;
#[path = "../pass/view_outlives_tensor.rs"]
mod view_outlives_tensor;
#[path = "../pass/write_to_view.rs"]
mod write_to_view;
#[path = "../pass/write_to_view_by_index.rs"]
mod write_to_view_by_index;
#[path = "../pass/write_to_view_by_operator.rs"]
mod write_to_view_by_operator;

#[test]
fn corrected_programs_run() {
    let _ = arange_of_complex::main();
    let _ = at_rank::main();
    let _ = axes_as_one::main();
    let _ = axis_float::main();
    let _ = axis_out_of_range::main();
    let _ = bool_add::main();
    let _ = bool_sum::main();
    let _ = broadcast_to_smaller::main();
    let _ = complex_floor::main();
    let _ = complex_less::main();
    let _ = complex_max::main();
    let _ = complex_to_real::main();
    let _ = cuda_as_slice::main();
    let _ = cuda_equal::main();
    let _ = cuda_index::main();
    let _ = cuda_iter::main();
    let _ = cuda_map::main();
    let _ = cuda_source_literal::main();
    let _ = cuda_source_safe::main();
    let _ = cuda_source_type::main();
    let _ = device_generic::main();
    let _ = device_host_and_gpu::main();
    let _ = device_sqrt::main();
    let _ = device_sum::main();
    let _ = device_two_gpus::main();
    let _ = device_without_element::main();
    let _ = device_without_gemm::main();
    let _ = diagonal_of_vector::main();
    let _ = dot_of_matrix::main();
    let _ = dtype_add::main();
    let _ = dtype_assign::main();
    let _ = dtype_matmul::main();
    let _ = dtype_maximum::main();
    let _ = dtype_scalar::main();
    let _ = einsum_arrow::main();
    let _ = einsum_bool::main();
    let _ = einsum_count::main();
    let _ = einsum_device::main();
    let _ = einsum_dtype::main();
    let _ = einsum_ellipsis_rank::main();
    let _ = einsum_ellipsis_result::main();
    let _ = einsum_generic_device::main();
    let _ = einsum_generic_rank::main();
    let _ = einsum_into_dtype::main();
    let _ = einsum_into_order::main();
    let _ = einsum_into_rank::main();
    let _ = einsum_label::main();
    let _ = einsum_operand_rank::main();
    let _ = einsum_order::main();
    let _ = einsum_owned::main();
    let _ = einsum_result_label::main();
    let _ = einsum_result_rank::main();
    let _ = einsum_run_time::main();
    let _ = einsum_scalar::main();
    let _ = einsum_too_many::main();
    let _ = equal_orders::main();
    #[cfg(feature = "linalg")]
    let _ = factor_bond_in_one::main();
    #[cfg(feature = "linalg")]
    let _ = factor_device::main();
    #[cfg(feature = "linalg")]
    let _ = factor_integers::main();
    #[cfg(feature = "linalg")]
    let _ = factor_label_in_both::main();
    #[cfg(feature = "linalg")]
    let _ = factor_label_lost::main();
    #[cfg(feature = "linalg")]
    let _ = factor_label_twice::main();
    #[cfg(feature = "linalg")]
    let _ = factor_operand_rank::main();
    #[cfg(feature = "linalg")]
    let _ = factor_option::main();
    #[cfg(feature = "linalg")]
    let _ = factor_order::main();
    #[cfg(feature = "linalg")]
    let _ = factor_polar::main();
    #[cfg(feature = "linalg")]
    let _ = factor_rank::main();
    #[cfg(feature = "linalg")]
    let _ = factor_results::main();
    #[cfg(feature = "linalg")]
    let _ = factor_three_terms::main();
    #[cfg(feature = "linalg")]
    let _ = factor_two_bonds::main();
    #[cfg(feature = "linalg")]
    let _ = factor_unpaired::main();
    #[cfg(feature = "linalg")]
    let _ = det_rank::main();
    #[cfg(feature = "linalg")]
    let _ = eigh_values_type::main();
    #[cfg(feature = "linalg")]
    let _ = eigvalsh_rank::main();
    #[cfg(feature = "linalg")]
    let _ = factor_of_dynamic::main();
    #[cfg(feature = "linalg")]
    let _ = factor_scalar::main();
    #[cfg(feature = "linalg")]
    let _ = lstsq_orders::main();
    #[cfg(feature = "linalg")]
    let _ = solve_dtypes::main();
    #[cfg(feature = "linalg")]
    lstsq_of_scalar::main();
    #[cfg(feature = "linalg")]
    let _ = solve_of_scalar::main();
    #[cfg(feature = "linalg")]
    let _ = solve_orders::main();
    #[cfg(feature = "linalg")]
    let _ = svd_device::main();
    #[cfg(feature = "linalg")]
    let _ = svd_generic_device::main();
    #[cfg(feature = "linalg")]
    let _ = svd_of_integers::main();
    #[cfg(feature = "linalg")]
    let _ = svd_of_vector::main();
    #[cfg(feature = "fft")]
    let _ = fft_of_integers::main();
    #[cfg(feature = "fft")]
    let _ = irfft_of_real::main();
    #[cfg(feature = "fft")]
    let _ = rfft_of_complex::main();
    #[cfg(feature = "fft")]
    let _ = rfft_of_integers::main();
    let _ = float_and::main();
    let _ = float_not::main();
    let _ = generic_broadcast::main();
    let _ = generic_device::main();
    let _ = generic_element::main();
    let _ = generic_trace::main();
    let _ = index_length::main();
    let _ = index_type::main();
    let _ = index_without_array::main();
    let _ = integer_sqrt::main();
    let _ = into_other_dtype::main();
    let _ = into_other_order::main();
    let _ = into_smaller_rank::main();
    let _ = into_view::main();
    let _ = item_of_vector::main();
    let _ = linspace_of_integers::main();
    let _ = map_with_rc::main();
    let _ = mask_rank::main();
    let _ = mask_type::main();
    let _ = matmul_of_scalar::main();
    let _ = matrix_into_row::main();
    let _ = negate_unsigned::main();
    let _ = number_any::main();
    let _ = number_to_bool::main();
    let _ = order_add::main();
    let _ = order_add_assign::main();
    let _ = order_assign::main();
    let _ = order_matmul::main();
    let _ = order_not_free::main();
    let _ = order_not_inferred::main();
    let _ = outer_too_large::main();
    let _ = own_agreement::main();
    let _ = own_element::main();
    let _ = own_order::main();
    let _ = own_rank::main();
    let _ = ragged_rows::main();
    let _ = rank_grows_too_large::main();
    let _ = rank_of_result::main();
    let _ = rank_too_large::main();
    let _ = rank_too_large_shape::main();
    let _ = reduce_into_rank::main();
    let _ = select_by_number::main();
    let _ = shape_length::main();
    let _ = shape_tuple::main();
    let _ = slice_by_float::main();
    let _ = slice_by_float_range::main();
    let _ = slice_too_few::main();
    let _ = slice_too_many::main();
    let _ = sum_list_of_axes::main();
    let _ = sum_too_many_axes::main();
    let _ = take_array_float::main();
    let _ = take_float::main();
    let _ = take_of_scalar::main();
    let _ = take_rank::main();
    let _ = tensor_for_view::main();
    let _ = tensordot_axes::main();
    let _ = tensordot_result::main();
    let _ = trace_of_vector::main();
    let _ = trace_same_axis::main();
    let _ = transpose_of_rank_3::main();
    let _ = two_mutable_views::main();
    let _ = untyped_zeros::main();
    let _ = used_after_sum::main();
    let _ = usize_elements::main();
    let _ = usize_elements_inferred::main();
    let _ = view_outlives_tensor::main();
    let _ = write_to_view::main();
    let _ = write_to_view_by_index::main();
    let _ = write_to_view_by_operator::main();
    let _ = pad_widths::main();
    let _ = tril_of_vector::main();
    let _ = concatenate_axis::main();
    let _ = concatenate_orders::main();
    let _ = stack_rank::main();
    let _ = generic_cast::main();
    let _ = generic_norm::main();
    let _ = generic_constant::main();
    let _ = generic_struct::main();
    let _ = index_mask::main();
    let _ = log_without_base::main();
    let _ = own_function::main();
    let _ = concatenate_devices::main();
    let _ = stack_devices::main();
    buffer_shared::main();
    arange_of_integers::main();
    assign_to_slice::main();
    compare_with_scalar::main();
    float_times_eye::main();
    real_matmul_complex::main();
    real_times_complex::main();
    sum_with_axis::main();
    view_for_tensor::main();
    #[cfg(feature = "linalg")]
    svd_as_tuple::main();
    shift_of_floats::main();
    sum_as_narrower::main();
    sum_of_floats_as_integer::main();
    sum_as_bool::main();
    integer_pow_by_float::main();
    integer_pow_by_floats::main();
    complex_bottom_k::main();
    complex_argmax::main();
    bool_max::main();
    round_integers_to::main();
    #[cfg(feature = "linalg")]
    polyfit_of_integers::main();
    #[cfg(feature = "linalg")]
    polyfit_to_scalar::main();
    #[cfg(feature = "linalg")]
    discarded_of_svd::main();
}

/// Each program in `fail` has a corrected program in `pass`, and the reverse.
#[test]
fn each_failing_program_has_corrected_program() {
    let names = |folder: &str| {
        let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut names: Vec<_> = files
            .filter(|path| path.extension().is_some_and(|e| e == "rs"))
            .map(|path| path.file_name().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("fail"), names("pass"));
    assert_eq!(names("fail/fft"), names("pass/fft"));
    assert_eq!(names("fail/linalg"), names("pass/linalg"));
}
