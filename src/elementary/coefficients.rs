// Written by scripts/elementary/fit.py; do not edit.

#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]

/// Coefficients and constants of the `f64` functions, and of the `f32` functions that compute in `f64`.
///
/// The comment of each polynomial gives the function that it approximates, and the maximum of |error| times a weight. The
/// weighted error is roughly the relative error of the elementary function that uses the polynomial.
pub(crate) mod double {
    /// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2. Maximum of |error| · r^2 / e^r: 2^-57.9.
    pub(crate) const EXP: [f64; 10] = [
        0.5000000000000011,
        0.16666666666666433,
        0.04166666666652699,
        0.008333333333482022,
        0.0013888888944334045,
        0.00019841269532877107,
        2.480149245891257e-05,
        2.7557563323264176e-06,
        2.763045349876032e-07,
        2.500724584399954e-08,
    ];
    /// (2^f - 1 - f ln(2)) / f^2 for |f| <= 1/2. Maximum of |error| · f^2 / 2^f: 2^-57.9.
    pub(crate) const EXP2: [f64; 10] = [
        0.24022650695910122,
        0.05550410866482073,
        0.009618129107597014,
        0.0013333558146687247,
        0.0001540353045403754,
        1.5252733545853092e-05,
        1.3215436620988824e-06,
        1.0178185047850395e-07,
        7.073577552027583e-09,
        4.436247841769168e-10,
    ];
    /// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2. Maximum of |error| · r^2 / (e^r - 1): 2^-61.8.
    pub(crate) const EXP_M1: [f64; 11] = [
        0.5,
        0.16666666666666677,
        0.041666666666666616,
        0.008333333333321449,
        0.0013888888888919702,
        0.00019841269886534732,
        2.480158724586915e-05,
        2.7557243836859707e-06,
        2.7557345841215847e-07,
        2.510915614653837e-08,
        2.0891623585771352e-09,
    ];
    /// (sin(r)/r - 1) / z, z = r^2, for |r| <= pi/4. Maximum of |error| · z: 2^-58.0.
    pub(crate) const SIN: [f64; 6] = [
        -0.16666666666666632,
        0.00833333333332249,
        -0.00019841269829857063,
        2.755731370645295e-06,
        -2.5050760110647424e-08,
        1.5896899223639504e-10,
    ];
    /// (cos(r) - 1 + z/2) / z^2, z = r^2, for |r| <= pi/4. Maximum of |error| · z^2 / cos(r): 2^-63.9.
    pub(crate) const COS: [f64; 6] = [
        0.041666666666666595,
        -0.001388888888887335,
        2.4801587289009703e-05,
        -2.755731421945945e-07,
        2.0875705726950565e-09,
        -1.135876574097458e-11,
    ];
    /// n, where tan(r)/r = (1 + z n(z)) / (1 + z d(z)), z = r^2, for |r| <= pi/4. Maximum of the relative error: 2^-59.9.
    pub(crate) const TAN_NUMERATOR: [f64; 3] =
        [-0.1333830230179623, 0.003424829492578002, -1.7860694907881717e-05];
    /// d, where tan(r)/r = (1 + z n(z)) / (1 + z d(z)), see `TAN_NUMERATOR`.
    pub(crate) const TAN_DENOMINATOR: [f64; 4] =
        [-0.4667163563512956, 0.025663614943009578, -0.00031180546399098654, 4.981434781245339e-07];
    /// (atan(t)/t - 1) / z, z = t^2, for |t| <= 1/2. Maximum of |error| · z: 2^-57.8.
    pub(crate) const ATAN: [f64; 12] = [
        -0.33333333333332993,
        0.19999999999905643,
        -0.14285714276588282,
        0.11111110667723713,
        -0.09090896432791622,
        0.07692076665009562,
        -0.06663837026909736,
        0.05858467516557499,
        -0.05122715463017546,
        0.041883962985959214,
        -0.027463899416260158,
        0.010136214643528922,
    ];
    /// (asin(t)/t - 1) / z, z = t^2, for |t| <= 1/2. Maximum of |error| · z: 2^-59.8.
    pub(crate) const ASIN: [f64; 13] = [
        0.16666666666666763,
        0.0749999999997018,
        0.0446428571751756,
        0.03038194268169037,
        0.022372215700936726,
        0.01735159954040645,
        0.013980966446278989,
        0.011397745380451647,
        0.010786654991452685,
        0.0036827053704133624,
        0.021764040814623953,
        -0.02107773292166003,
        0.032676994271174084,
    ];
    /// (sinh(r)/r - 1) / z, z = r^2, for |r| <= ln(2)/2. Maximum of |error| · z: 2^-61.7.
    pub(crate) const SINH: [f64; 5] = [
        0.16666666666666677,
        0.008333333333321452,
        0.00019841269886523217,
        2.7557243849950537e-06,
        2.5109151366788733e-08,
    ];
    /// (cosh(r) - 1 - z/2) / z^2, z = r^2, for |r| <= ln(2)/2. Maximum of |error| · z^2: 2^-57.3.
    pub(crate) const COSH: [f64; 4] =
        [0.04166666666660272, 0.0013888888927289474, 2.4801508073639294e-05, 2.762542422910849e-07];
    /// ((1 - e)^(-1/3) - 1) / e for |e| <= 0.1023. Maximum of |error| · e (1 - e)^(1/3): 2^-14.1.
    pub(crate) const CBRT_FACTOR: [f64; 2] = [0.33446939240476725, 0.22482314636756778];
    /// (ln((1+s)/(1-s))/s - 2) / z, z = s^2, for |s| <= 0.1716. Maximum of |error| · z: 2^-58.5.
    pub(crate) const LN: [f64; 7] = [
        0.6666666666666735,
        0.399999999994107,
        0.2857142874317742,
        0.22222198498114862,
        0.1818356802232535,
        0.1531395960714497,
        0.14796834057225525,
    ];
    /// (ln((1+s)/(1-s))/s - 2 - 2z/3) / z^2, z = s^2, for |s| <= 0.1716. Maximum of |error| · z^2: 2^-65.3.
    pub(crate) const LN_LONG: [f64; 7] = [
        0.4000000000000226,
        0.2857142857009715,
        0.22222222520330645,
        0.1818178433297749,
        0.15386758852464733,
        0.1325678322459207,
        0.13196642752130738,
    ];
    /// (atan(t)/t - 1 + z/3) / z^2, z = t^2, for |t| <= 1/2. Maximum of |error| · z^2: 2^-67.6.
    pub(crate) const ATAN_LONG: [f64; 14] = [
        0.1999999999999999,
        -0.14285714285711984,
        0.11111111110899251,
        -0.09090909080233008,
        0.0769230735559091,
        -0.06666659514596289,
        0.05882246014517286,
        -0.05262001942070326,
        0.047527303662824816,
        -0.042940559131627414,
        0.03767836977377926,
        -0.02972706434197399,
        0.017972470349691988,
        -0.005903453738237918,
    ];
    /// (erf(x)/x - 2/sqrt(pi)) / z, z = x^2, for |x| <= 1. Maximum of |error| · z: 2^-61.7.
    pub(crate) const ERF: [f64; 12] = [
        -0.3761263890318375,
        0.1128379167095487,
        -0.026866170645074294,
        0.005223977624792323,
        -0.0008548326979379343,
        0.00012055331060578947,
        -1.492559409514081e-05,
        1.6460982578296647e-06,
        -1.6350131841903135e-07,
        1.4658614928198295e-08,
        -1.136856389441888e-09,
        5.950239150453095e-11,
    ];
    /// (f - c) / v, f = erfc(x) e^(x^2) (1 + 2x), v = 3.5 / (x + 3.5) - 1/2, for 1/2 <= x <= 28. c is f at v = 0. Maximum of |error| · v/f: 2^-58.8.
    pub(crate) const ERFC: [f64; 21] = [
        0.2800183602752388,
        -0.0422223853288735,
        -0.7801527612260569,
        -1.841433570562956,
        -2.815460922396762,
        -3.1246928529975415,
        -2.4447143605916475,
        -1.0790450958307611,
        0.15476115317352274,
        0.5779296293401077,
        0.24885741146219953,
        -0.17523580917351958,
        -0.19874478133490583,
        0.038145207114955657,
        0.1249797692339754,
        -0.0028899251149994056,
        -0.07859493041258085,
        -0.0021051773727762345,
        0.04852157908701318,
        0.0006336020521873763,
        -0.02144243525592781,
    ];
    /// log2((1+s)/(1-s))/s as a polynomial of z = s^2, for |s| <= 0.1716. Maximum of |error| · 1/2: 2^-37.3.
    pub(crate) const LOG2_FOR_F32: [f64; 5] = [
        2.8853900817901503,
        0.9617966732703366,
        0.5770835973795785,
        0.41167202918318724,
        0.34074207976724036,
    ];
    /// (2^f - 1) / f for |f| <= 1/2. Maximum of |error| · f / 2^f: 2^-28.3.
    pub(crate) const EXP2_FOR_F32: [f64; 6] = [
        0.6931471963260177,
        0.24022645133797998,
        0.05550341663151303,
        0.009618793665878212,
        0.0013396217657623904,
        0.00015253772406584152,
    ];
    // A constant X is the sum of `X_1`, `X_2`, .. A product of a small integer and a part with few bits is exact.
    pub(crate) const LN2_1: f64 = 0.693147180559663;
    pub(crate) const LN2_2: f64 = 2.8235290563031577e-13;
    pub(crate) const LN2_ROUNDED_1: f64 = 0.6931471805599453;
    pub(crate) const LN2_ROUNDED_2: f64 = 2.3190468138462996e-17;
    pub(crate) const LOG2_E_1: f64 = 1.4426950408889634;
    pub(crate) const LOG2_E_2: f64 = 2.0355273740931033e-17;
    pub(crate) const LOG10_E_1: f64 = 0.4342944819032518;
    pub(crate) const LOG10_E_2: f64 = 1.098319650216765e-17;
    pub(crate) const LOG10_2_1: f64 = 0.30102999566383914;
    pub(crate) const LOG10_2_2: f64 = 1.42050232272661e-13;
    pub(crate) const HALF_PI_1: f64 = 1.5707963267948966;
    pub(crate) const HALF_PI_2: f64 = 6.123233995736766e-17;
    pub(crate) const HALF_PI_3: f64 = -1.4973849048591698e-33;
    pub(crate) const HALF_PI_ROUNDED_1: f64 = 1.5707963267948966;
    pub(crate) const HALF_PI_ROUNDED_2: f64 = 6.123233995736766e-17;
    pub(crate) const TWO_THIRDS_1: f64 = 0.6666666666666666;
    pub(crate) const TWO_THIRDS_2: f64 = 3.700743415417188e-17;
    pub(crate) const TWO_OVER_ROOT_PI_1: f64 = 1.1283791670955126;
    pub(crate) const TWO_OVER_ROOT_PI_2: f64 = 1.533545961316588e-17;
    pub(crate) const ERFC_MIDDLE_1: f64 = 1.2423492448711544;
    pub(crate) const ERFC_MIDDLE_2: f64 = -1.0846756337728736e-17;
    pub(crate) const TWO_OVER_PI: f64 = 0.6366197723675814;
}

/// Coefficients and constants of the `f32` functions.
///
/// The comment of each polynomial gives the function that it approximates, and the maximum of |error| times a weight. The
/// weighted error is roughly the relative error of the elementary function that uses the polynomial.
pub(crate) mod single {
    /// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2. Maximum of |error| · r^2 / e^r: 2^-28.3.
    pub(crate) const EXP: [f32; 5] = [
        0.4999999403953552,
        0.1666652113199234,
        0.041668254882097244,
        0.008368670009076595,
        0.0013821700122207403,
    ];
    /// (2^f - 1 - f ln(2)) / f^2 for |f| <= 1/2. Maximum of |error| · f^2 / 2^f: 2^-28.3.
    pub(crate) const EXP2: [f32; 5] = [
        0.24022647738456726,
        0.05550362169742584,
        0.009618503972887993,
        0.0013390198582783341,
        0.00015327245637308806,
    ];
    /// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2. Maximum of |error| · r^2 / (e^r - 1): 2^-30.7.
    pub(crate) const EXP_M1: [f32; 6] = [
        0.5,
        0.166666641831398,
        0.04166648909449577,
        0.008333969861268997,
        0.001393269863910973,
        0.00019502760551404208,
    ];
    /// (sin(r)/r - 1) / z, z = r^2, for |r| <= pi/4. Maximum of |error| · z: 2^-28.0.
    pub(crate) const SIN: [f32; 3] = [-0.16666655242443085, 0.008332191966474056, -0.00019518786575645208];
    /// (cos(r) - 1 + z/2) / z^2, z = r^2, for |r| <= pi/4. Maximum of |error| · z^2 / cos(r): 2^-33.0.
    pub(crate) const COS: [f32; 3] = [0.04166664555668831, -0.0013887310633435845, 2.4432563805021346e-05];
    /// n, where tan(r)/r = (1 + z n(z)) / (1 + z d(z)), z = r^2, for |r| <= pi/4. Maximum of the relative error: 2^-30.3.
    pub(crate) const TAN_NUMERATOR: [f32; 2] = [-0.11135542392730713, 0.001074588275514543];
    /// d, where tan(r)/r = (1 + z n(z)) / (1 + z d(z)), see `TAN_NUMERATOR`.
    pub(crate) const TAN_DENOMINATOR: [f32; 2] = [-0.4446887671947479, 0.015970872715115547];
    /// (atan(t)/t - 1) / z, z = t^2, for |t| <= 1/2. Maximum of |error| · z: 2^-27.5.
    pub(crate) const ATAN: [f32; 5] = [
        -0.333332359790802,
        0.1999429613351822,
        -0.1417587846517563,
        0.10164232552051544,
        -0.051396142691373825,
    ];
    /// (asin(t)/t - 1) / z, z = t^2, for |t| <= 1/2. Maximum of |error| · z: 2^-27.6.
    pub(crate) const ASIN: [f32; 5] = [
        0.16666753590106964,
        0.07495253533124924,
        0.04547576978802681,
        0.02415364794433117,
        0.0422089621424675,
    ];
    /// (sinh(r)/r - 1) / z, z = r^2, for |r| <= ln(2)/2. Maximum of |error| · z: 2^-34.1.
    pub(crate) const SINH: [f32; 3] = [0.1666666716337204, 0.008333191275596619, 0.00019959323981311172];
    /// (cosh(r) - 1 - z/2) / z^2, z = r^2, for |r| <= ln(2)/2. Maximum of |error| · z^2: 2^-33.3.
    pub(crate) const COSH: [f32; 2] = [0.041666459292173386, 0.0013935421593487263];
    /// ((1 - e)^(-1/3) - 1) / e for |e| <= 0.1023. Maximum of |error| · e (1 - e)^(1/3): 2^-18.5.
    pub(crate) const CBRT_FACTOR: [f32; 3] = [0.3333302438259125, 0.22347943484783173, 0.17435552179813385];
    /// (tanh(x)/x - 1) / z, z = x^2, for |x| <= ln(3)/2. Maximum of |error| · z x / tanh(x): 2^-24.7.
    pub(crate) const TANH: [f32; 4] =
        [-0.3333294987678528, 0.1332080215215683, -0.05267693102359772, 0.016447652131319046];
    /// (ln(1+f) - f + f^2/2) / f^3, for 1+f from sqrt(1/2) to sqrt(2). Maximum of |error| · f^3 / ln(1+f): 2^-30.3.
    pub(crate) const LN_TAIL: [f32; 9] = [
        0.3333331346511841,
        -0.25000011920928955,
        0.20002073049545288,
        -0.1666785031557083,
        0.1422022581100464,
        -0.12408310174942017,
        0.11886423081159592,
        -0.11659961938858032,
        0.06731529533863068,
    ];
    /// (log2(1+f) - c f + c/2 f^2) / f^3, c = log2(e), for 1+f from sqrt(1/2) to sqrt(2). Maximum of |error| · f^3 / log2(1+f): 2^-29.0.
    pub(crate) const LOG2_TAIL: [f32; 8] = [
        0.4809001684188843,
        -0.3606913685798645,
        0.28850314021110535,
        -0.2396366000175476,
        0.20545069873332977,
        -0.1918092966079712,
        0.18231187760829926,
        -0.10403594374656677,
    ];
    /// (log10(1+f) - c f + c/2 f^2) / f^3, c = log10(e), for 1+f from sqrt(1/2) to sqrt(2). Maximum of |error| · f^3 / log10(1+f): 2^-28.9.
    pub(crate) const LOG10_TAIL: [f32; 8] = [
        0.14476415514945984,
        -0.10857781767845154,
        0.08687883615493774,
        -0.07217603176832199,
        0.061530474573373795,
        -0.05725489929318428,
        0.05603248253464699,
        -0.03336799517273903,
    ];
    // A constant X is the sum of `X_1`, `X_2`, .. A product of a small integer and a part with few bits is exact.
    pub(crate) const LN2_1: f32 = 0.693145751953125;
    pub(crate) const LN2_2: f32 = 1.428606765330187e-06;
    pub(crate) const LN2_ROUNDED_1: f32 = 0.6931471824645996;
    pub(crate) const LN2_ROUNDED_2: f32 = -1.9046542121259336e-09;
    pub(crate) const LOG2_E_1: f32 = 1.4426950216293335;
    pub(crate) const LOG2_E_2: f32 = 1.925963033500011e-08;
    pub(crate) const LOG10_E_1: f32 = 0.4342944920063019;
    pub(crate) const LOG10_E_2: f32 = -1.0103049952192578e-08;
    pub(crate) const LOG10_2_1: f32 = 0.3010300099849701;
    pub(crate) const LOG10_2_2: f32 = -1.4901161193847656e-08;
    pub(crate) const HALF_PI_1: f32 = 1.570796251296997;
    pub(crate) const HALF_PI_2: f32 = 7.549790126404332e-08;
    pub(crate) const HALF_PI_3: f32 = -1.7151245100058819e-15;
    pub(crate) const HALF_PI_ROUNDED_1: f32 = 1.5707963705062866;
    pub(crate) const HALF_PI_ROUNDED_2: f32 = -4.371138828673793e-08;
    pub(crate) const TWO_OVER_PI: f32 = 0.6366197466850281;
}

/// The first 1280 binary digits of 2/pi after the point, for the reduction of huge arguments.
pub(crate) const TWO_OVER_PI_DIGITS: [u64; 20] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
];

/// The first 1280 binary digits of ln(2) 2/pi after the point, for the reduction of huge arguments.
pub(crate) const LN2_TWO_OVER_PI_DIGITS: [u64; 20] = [
    0x70f7263dfa5a6eec,
    0xb608582e55fef3dd,
    0x8e13becd1d495c36,
    0x1d72013aea9f8fca,
    0x76e866fc9b48be48,
    0x15f5cb6fd8bee211,
    0x0394db3020d6eb52,
    0x30ffa9ae90cbc735,
    0x51358ced67c0db3c,
    0x490d15bdd91a29f5,
    0x682402af5e8f9c23,
    0xbff15cbc71f05fed,
    0xfe0bb0622a8c8f67,
    0x7309c45a7502282a,
    0xead0c2435c5527bb,
    0x759f345e2d0628e8,
    0xb1a563a253e62918,
    0xea5ffdabeac0d479,
    0xcfedb1b6fc78b439,
    0xa333a25fdc77be31,
];
