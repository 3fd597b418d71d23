(* Written by tests/filters/certified/running_numbers.py; do not edit. Each lemma is about the exact rationals of the
   doubles that the code compares with: see filters/certified. *)
From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
Open Scope R_scope.

(* B*. ApproximateDPFilter(epsilon=1.0, delta=1e-05, conversion=_Simple()): budget *)
Lemma approximate_dp_1_0_1e_05_simple : ((3000469329529875 / 144115188075855872) + (2 * (sqrt ((3000469329529875 / 144115188075855872) * (ln (1 / (5902958103587057 / 590295810358705651712))))))) <= (1 / 1).
Proof. interval with (i_prec 160). Qed.

(* CKS. ApproximateDPFilter(epsilon=1.0, delta=1e-05, conversion=_CKS()): budget, at an order near 17.8087 *)
Lemma approximate_dp_1_0_1e_05_cks : (((((305951299951 / 17179869184) - 1) * (((305951299951 / 17179869184) * (1100917365966405 / 36028797018963968)) - (1 / 1))) - (ln ((305951299951 / 17179869184) - 1))) + ((305951299951 / 17179869184) * (ln (1 - (1 / (305951299951 / 17179869184)))))) <= (ln (5902958103587057 / 590295810358705651712)).
Proof. interval with (i_prec 160). Qed.

(* B*. ApproximateDPFilter(epsilon=0.3, delta=1e-05, conversion=_Simple()): budget *)
Lemma approximate_dp_0_3_1e_05_simple : ((8897186816023323 / 4611686018427387904) + (2 * (sqrt ((8897186816023323 / 4611686018427387904) * (ln (1 / (5902958103587057 / 590295810358705651712))))))) <= (5404319552844595 / 18014398509481984).
Proof. interval with (i_prec 160). Qed.

(* CKS. ApproximateDPFilter(epsilon=0.3, delta=1e-05, conversion=_CKS()): budget, at an order near 49.0327 *)
Lemma approximate_dp_0_3_1e_05_cks : (((((26955987089233 / 549755813888) - 1) * (((26955987089233 / 549755813888) * (476010527979641 / 144115188075855872)) - (5404319552844595 / 18014398509481984))) - (ln ((26955987089233 / 549755813888) - 1))) + ((26955987089233 / 549755813888) * (ln (1 - (1 / (26955987089233 / 549755813888)))))) <= (ln (5902958103587057 / 590295810358705651712)).
Proof. interval with (i_prec 160). Qed.

(* B*. ApproximateDPFilter(epsilon=0.5, delta=1e-05, conversion=_Simple()): budget *)
Lemma approximate_dp_0_5_1e_05_simple : ((382907153817289 / 72057594037927936) + (2 * (sqrt ((382907153817289 / 72057594037927936) * (ln (1 / (5902958103587057 / 590295810358705651712))))))) <= (1 / 2).
Proof. interval with (i_prec 160). Qed.

(* CKS. ApproximateDPFilter(epsilon=0.5, delta=1e-05, conversion=_CKS()): budget, at an order near 31.7726 *)
Lemma approximate_dp_0_5_1e_05_cks : (((((34934311901647 / 1099511627776) - 1) * (((34934311901647 / 1099511627776) * (2451552281666253 / 288230376151711744)) - (1 / 2))) - (ln ((34934311901647 / 1099511627776) - 1))) + ((34934311901647 / 1099511627776) * (ln (1 - (1 / (34934311901647 / 1099511627776)))))) <= (ln (5902958103587057 / 590295810358705651712)).
Proof. interval with (i_prec 160). Qed.

(* B*. ApproximateDPFilter(epsilon=0.1, delta=1e-09, conversion=_Simple()): budget *)
Lemma approximate_dp_0_1_1e_09_simple : ((4440026651498297 / 36893488147419103232) + (2 * (sqrt ((4440026651498297 / 36893488147419103232) * (ln (1 / (4835703278458517 / 4835703278458516698824704))))))) <= (3602879701896397 / 36028797018963968).
Proof. interval with (i_prec 160). Qed.

(* CKS. ApproximateDPFilter(epsilon=0.1, delta=1e-09, conversion=_CKS()): budget, at an order near 292.434 *)
Lemma approximate_dp_0_1_1e_09_cks : (((((321534475944575 / 1099511627776) - 1) * (((321534475944575 / 1099511627776) * (816906900209099 / 4611686018427387904)) - (3602879701896397 / 36028797018963968))) - (ln ((321534475944575 / 1099511627776) - 1))) + ((321534475944575 / 1099511627776) * (ln (1 - (1 / (321534475944575 / 1099511627776)))))) <= (ln (4835703278458517 / 4835703278458516698824704)).
Proof. interval with (i_prec 160). Qed.

(* B*. ApproximateDPFilter(epsilon=8.0, delta=0.001, conversion=_Simple()): budget *)
Lemma approximate_dp_8_0_0_001_simple : ((6844500388116237 / 4503599627370496) + (2 * (sqrt ((6844500388116237 / 4503599627370496) * (ln (1 / (1152921504606847 / 1152921504606846976))))))) <= (8 / 1).
Proof. interval with (i_prec 160). Qed.

(* CKS. ApproximateDPFilter(epsilon=8.0, delta=0.001, conversion=_CKS()): budget, at an order near 2.78399 *)
Lemma approximate_dp_8_0_0_001_cks : (((((3061033256207 / 1099511627776) - 1) * (((3061033256207 / 1099511627776) * (8325996230985315 / 4503599627370496)) - (8 / 1))) - (ln ((3061033256207 / 1099511627776) - 1))) + ((3061033256207 / 1099511627776) * (ln (1 - (1 / (3061033256207 / 1099511627776)))))) <= (ln (1152921504606847 / 1152921504606846976)).
Proof. interval with (i_prec 160). Qed.

(* RDP filter. ZCDPFilter(rho=0.5): budget *)
Lemma ZCDPFilter_0_budget : 0 <= ((1 / 2) - (1 / 2)).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.5): last x of Gaussian(x) admitted, nothing spent *)
Lemma ZCDPFilter_0_Gaussian_x : 0 <= ((1 / 2) - (0 + (((1 / 1) ^ 2) / 2))).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.5): last x of RandomizedResponse(x) admitted, nothing spent *)
Lemma ZCDPFilter_0_RandomizedResponse_x : 0 <= ((1 / 2) - (0 + (((1 / 1) ^ 2) / 2))).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.5): last x of Laplace(x) admitted, nothing spent *)
Lemma ZCDPFilter_0_Laplace_x : 0 <= ((1 / 2) - (0 + (1 / (2 * ((1 / 1) ^ 2))))).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.5): last x of KOV(x, 0) admitted, nothing spent *)
Lemma ZCDPFilter_0_KOV_x_0 : 0 <= ((1 / 2) - (0 + (((1 / 1) ^ 2) / 2))).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.1): budget *)
Lemma ZCDPFilter_1_budget : 0 <= ((3602879701896397 / 36028797018963968) - (3602879701896397 / 36028797018963968)).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.1): last x of Gaussian(x) admitted, nothing spent *)
Lemma ZCDPFilter_1_Gaussian_x : 0 <= ((3602879701896397 / 36028797018963968) - (0 + (((8056283928194521 / 18014398509481984) ^ 2) / 2))).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.1): last x of RandomizedResponse(x) admitted, nothing spent *)
Lemma ZCDPFilter_1_RandomizedResponse_x : 0 <= ((3602879701896397 / 36028797018963968) - (0 + (((8056283928194521 / 18014398509481984) ^ 2) / 2))).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.1): last x of Laplace(x) admitted, nothing spent *)
Lemma ZCDPFilter_1_Laplace_x : 0 <= ((3602879701896397 / 36028797018963968) - (0 + (1 / (2 * ((629397181890197 / 281474976710656) ^ 2))))).
Proof. lra. Qed.

(* RDP filter. ZCDPFilter(rho=0.1): last x of KOV(x, 0) admitted, nothing spent *)
Lemma ZCDPFilter_1_KOV_x_0 : 0 <= ((3602879701896397 / 36028797018963968) - (0 + (((8056283928194521 / 18014398509481984) ^ 2) / 2))).
Proof. lra. Qed.

(* GDP filter. GaussianFilter(mu=0.3): budget *)
Lemma GaussianFilter_2_budget : 0 <= (((5404319552844595 / 18014398509481984) ^ 2) - (29206669829258403248756220714025 / 324518553658426726783156020576256)).
Proof. lra. Qed.

(* GDP filter. GaussianFilter(mu=0.3): last x of Gaussian(x) admitted, nothing spent *)
Lemma GaussianFilter_2_Gaussian_x : 0 <= (((5404319552844595 / 18014398509481984) ^ 2) - (0 + ((5404319552844595 / 18014398509481984) ^ 2))).
Proof. lra. Qed.

(* RDP filter. RenyiFilter(alpha=8.0, rho=1.0): budget *)
Lemma RenyiFilter_3_budget : 0 <= ((1 / 1) - (1 / 1)).
Proof. lra. Qed.

(* RDP filter. RenyiFilter(alpha=8.0, rho=1.0): last x of Gaussian(x) admitted, nothing spent *)
Lemma RenyiFilter_3_Gaussian_x : 0 <= ((1 / 1) - (0 + ((8 * ((1 / 2) ^ 2)) / 2))).
Proof. lra. Qed.

(* RDP filter. RenyiFilter(alpha=8.0, rho=1.0): last x of Laplace(x) admitted, nothing spent *)
Lemma RenyiFilter_3_Laplace_x : 0 <= ((1 / 1) - (0 + ((ln (((8 * (exp ((8 - 1) / (2066248190635899 / 2251799813685248)))) + ((8 - 1) * (exp ((- 8) / (2066248190635899 / 2251799813685248))))) / ((2 * 8) - 1))) / (8 - 1)))).
Proof. interval with (i_prec 160). Qed.

(* basic composition. BasicFilter(epsilon=1.0, delta=0.001, at=None): last x of RandomizedResponse(x) admitted, nothing spent *)
Lemma BasicFilter_4_RandomizedResponse_x : 0 <= ((1 / 1) - (0 + (1 / 1))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + 0)).
Proof. repeat split; lra. Qed.

(* basic composition. BasicFilter(epsilon=1.0, delta=0.001, at=None): last x of Laplace(x) admitted, nothing spent *)
Lemma BasicFilter_4_Laplace_x : 0 <= ((1 / 1) - (0 + (1 / (1 / 1)))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + 0)).
Proof. repeat split; lra. Qed.

(* basic composition. BasicFilter(epsilon=1.0, delta=0.001, at=None): last x of KOV(x, 0) admitted, nothing spent *)
Lemma BasicFilter_4_KOV_x_0 : 0 <= ((1 / 1) - (0 + (1 / 1))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + 0)).
Proof. repeat split; lra. Qed.

(* basic composition. BasicFilter(epsilon=1.0, delta=0.001, at=None): last x of KOV(x, 2^-40) admitted, nothing spent *)
Lemma BasicFilter_4_KOV_x_2_40 : 0 <= ((1 / 1) - (0 + (1 / 1))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + (1 / (2 ^ 40)))).
Proof. repeat split; lra. Qed.

(* basic composition. BasicFilter(epsilon=1.0, delta=0.001, at=None): last x of KOV(1/64, x) admitted, nothing spent *)
Lemma BasicFilter_4_KOV_1_64_x : 0 <= ((1 / 1) - (0 + (1 / 64))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + (1152921504606847 / 1152921504606846976))).
Proof. repeat split; lra. Qed.

(* basic composition. BasicFilter(epsilon=1.0, delta=0.001, at=None): last x of Erasure(x) admitted, nothing spent *)
Lemma BasicFilter_4_Erasure_x : 0 <= ((1 / 1) - (0 + 0)) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + (1152921504606847 / 1152921504606846976))).
Proof. repeat split; lra. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=1.0, delta=0.001, tail=0.0005, weight=1.0, at=None): last x of RandomizedResponse(x) admitted, nothing spent *)
Lemma WhitehouseFilter_5_RandomizedResponse_x : 0 <= (((1 / 1) - (sqrt ((2 * (ln (1 / (1152921504606847 / 2305843009213693952)))) * (0 + ((8955197459304907 / 36028797018963968) ^ 2))))) - ((0 + ((8955197459304907 / 36028797018963968) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (1152921504606847 / 2305843009213693952)) - ((1 / 1) * (0 + 0))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=1.0, delta=0.001, tail=0.0005, weight=1.0, at=None): last x of Laplace(x) admitted, nothing spent *)
Lemma WhitehouseFilter_5_Laplace_x : 0 <= (((1 / 1) - (sqrt ((2 * (ln (1 / (1152921504606847 / 2305843009213693952)))) * (0 + ((1 / (1132437877323253 / 281474976710656)) ^ 2))))) - ((0 + ((1 / (1132437877323253 / 281474976710656)) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (1152921504606847 / 2305843009213693952)) - ((1 / 1) * (0 + 0))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=1.0, delta=0.001, tail=0.0005, weight=1.0, at=None): last x of KOV(x, 0) admitted, nothing spent *)
Lemma WhitehouseFilter_5_KOV_x_0 : 0 <= (((1 / 1) - (sqrt ((2 * (ln (1 / (1152921504606847 / 2305843009213693952)))) * (0 + ((8955197459304907 / 36028797018963968) ^ 2))))) - ((0 + ((8955197459304907 / 36028797018963968) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (1152921504606847 / 2305843009213693952)) - ((1 / 1) * (0 + 0))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=1.0, delta=0.001, tail=0.0005, weight=1.0, at=None): last x of KOV(x, 2^-40) admitted, nothing spent *)
Lemma WhitehouseFilter_5_KOV_x_2_40 : 0 <= (((1 / 1) - (sqrt ((2 * (ln (1 / (1152921504606847 / 2305843009213693952)))) * (0 + ((8955197459304907 / 36028797018963968) ^ 2))))) - ((0 + ((8955197459304907 / 36028797018963968) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (1152921504606847 / 2305843009213693952)) - ((1 / 1) * (0 + (1 / (2 ^ 40))))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=1.0, delta=0.001, tail=0.0005, weight=1.0, at=None): last x of KOV(1/64, x) admitted, nothing spent *)
Lemma WhitehouseFilter_5_KOV_1_64_x : 0 <= (((1 / 1) - (sqrt ((2 * (ln (1 / (1152921504606847 / 2305843009213693952)))) * (0 + ((1 / 64) ^ 2))))) - ((0 + ((1 / 64) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (1152921504606847 / 2305843009213693952)) - ((1 / 1) * (0 + (1152921504606847 / 2305843009213693952)))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=1.0, delta=0.001, tail=0.0005, weight=1.0, at=None): last x of Erasure(x) admitted, nothing spent *)
Lemma WhitehouseFilter_5_Erasure_x : 0 <= (((1 / 1) - (sqrt ((2 * (ln (1 / (1152921504606847 / 2305843009213693952)))) * (0 + 0)))) - ((0 + 0) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (1152921504606847 / 2305843009213693952)) - ((1 / 1) * (0 + (1152921504606847 / 2305843009213693952)))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=5.0, delta=0.001, tail=0.0001, weight=2.0, at=None): last x of RandomizedResponse(x) admitted, nothing spent *)
Lemma WhitehouseFilter_6_RandomizedResponse_x : 0 <= (((5 / 1) - (sqrt ((2 * (ln (1 / (7378697629483821 / 73786976294838206464)))) * (0 + ((4680018992942145 / 4503599627370496) ^ 2))))) - ((0 + ((4680018992942145 / 4503599627370496) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (7378697629483821 / 73786976294838206464)) - ((2 / 1) * (0 + 0))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=5.0, delta=0.001, tail=0.0001, weight=2.0, at=None): last x of Laplace(x) admitted, nothing spent *)
Lemma WhitehouseFilter_6_Laplace_x : 0 <= (((5 / 1) - (sqrt ((2 * (ln (1 / (7378697629483821 / 73786976294838206464)))) * (0 + ((1 / (4333830617832795 / 4503599627370496)) ^ 2))))) - ((0 + ((1 / (4333830617832795 / 4503599627370496)) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (7378697629483821 / 73786976294838206464)) - ((2 / 1) * (0 + 0))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=5.0, delta=0.001, tail=0.0001, weight=2.0, at=None): last x of KOV(x, 0) admitted, nothing spent *)
Lemma WhitehouseFilter_6_KOV_x_0 : 0 <= (((5 / 1) - (sqrt ((2 * (ln (1 / (7378697629483821 / 73786976294838206464)))) * (0 + ((4680018992942145 / 4503599627370496) ^ 2))))) - ((0 + ((4680018992942145 / 4503599627370496) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (7378697629483821 / 73786976294838206464)) - ((2 / 1) * (0 + 0))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=5.0, delta=0.001, tail=0.0001, weight=2.0, at=None): last x of KOV(x, 2^-40) admitted, nothing spent *)
Lemma WhitehouseFilter_6_KOV_x_2_40 : 0 <= (((5 / 1) - (sqrt ((2 * (ln (1 / (7378697629483821 / 73786976294838206464)))) * (0 + ((4680018992942145 / 4503599627370496) ^ 2))))) - ((0 + ((4680018992942145 / 4503599627370496) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (7378697629483821 / 73786976294838206464)) - ((2 / 1) * (0 + (1 / (2 ^ 40))))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=5.0, delta=0.001, tail=0.0001, weight=2.0, at=None): last x of KOV(1/64, x) admitted, nothing spent *)
Lemma WhitehouseFilter_6_KOV_1_64_x : 0 <= (((5 / 1) - (sqrt ((2 * (ln (1 / (7378697629483821 / 73786976294838206464)))) * (0 + ((1 / 64) ^ 2))))) - ((0 + ((1 / 64) ^ 2)) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (7378697629483821 / 73786976294838206464)) - ((2 / 1) * (0 + (4150517416584649 / 9223372036854775808)))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Whitehouse filter. WhitehouseFilter(epsilon=5.0, delta=0.001, tail=0.0001, weight=2.0, at=None): last x of Erasure(x) admitted, nothing spent *)
Lemma WhitehouseFilter_6_Erasure_x : 0 <= (((5 / 1) - (sqrt ((2 * (ln (1 / (7378697629483821 / 73786976294838206464)))) * (0 + 0)))) - ((0 + 0) / 2)) /\ 0 <= (((1152921504606847 / 1152921504606846976) - (7378697629483821 / 73786976294838206464)) - ((2 / 1) * (0 + (4150517416584649 / 9223372036854775808)))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Rogers filter. RogersFilter(epsilon=2.0, delta=0.001, reading='1/delta', at=None): last x of RandomizedResponse(x) admitted, nothing spent *)
Lemma RogersFilter_7_RandomizedResponse_x : 0 <= (((2 / 1) - (0 + (((5922788122361471 / 18014398509481984) * ((exp (5922788122361471 / 18014398509481984)) - 1)) / 2))) - (sqrt (((2 * ((0 + ((5922788122361471 / 18014398509481984) ^ 2)) + (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976))))))) * (1 + ((ln (((0 + ((5922788122361471 / 18014398509481984) ^ 2)) / (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976)))))) + 1)) / 2))) * (ln (2 / (1152921504606847 / 1152921504606846976)))))) /\ 0 <= (((1152921504606847 / 1152921504606846976) / 2) - (0 + 0)).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Rogers filter. RogersFilter(epsilon=2.0, delta=0.001, reading='1/delta', at=None): last x of Laplace(x) admitted, nothing spent *)
Lemma RogersFilter_7_Laplace_x : 0 <= (((2 / 1) - (0 + (((1 / (3424469892325793 / 1125899906842624)) * ((exp (1 / (3424469892325793 / 1125899906842624))) - 1)) / 2))) - (sqrt (((2 * ((0 + ((1 / (3424469892325793 / 1125899906842624)) ^ 2)) + (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976))))))) * (1 + ((ln (((0 + ((1 / (3424469892325793 / 1125899906842624)) ^ 2)) / (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976)))))) + 1)) / 2))) * (ln (2 / (1152921504606847 / 1152921504606846976)))))) /\ 0 <= (((1152921504606847 / 1152921504606846976) / 2) - (0 + 0)).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Rogers filter. RogersFilter(epsilon=2.0, delta=0.001, reading='1/delta', at=None): last x of KOV(x, 0) admitted, nothing spent *)
Lemma RogersFilter_7_KOV_x_0 : 0 <= (((2 / 1) - (0 + (((5922788122361471 / 18014398509481984) * ((exp (5922788122361471 / 18014398509481984)) - 1)) / 2))) - (sqrt (((2 * ((0 + ((5922788122361471 / 18014398509481984) ^ 2)) + (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976))))))) * (1 + ((ln (((0 + ((5922788122361471 / 18014398509481984) ^ 2)) / (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976)))))) + 1)) / 2))) * (ln (2 / (1152921504606847 / 1152921504606846976)))))) /\ 0 <= (((1152921504606847 / 1152921504606846976) / 2) - (0 + 0)).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Rogers filter. RogersFilter(epsilon=2.0, delta=0.001, reading='1/delta', at=None): last x of KOV(x, 2^-40) admitted, nothing spent *)
Lemma RogersFilter_7_KOV_x_2_40 : 0 <= (((2 / 1) - (0 + (((5922788122361471 / 18014398509481984) * ((exp (5922788122361471 / 18014398509481984)) - 1)) / 2))) - (sqrt (((2 * ((0 + ((5922788122361471 / 18014398509481984) ^ 2)) + (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976))))))) * (1 + ((ln (((0 + ((5922788122361471 / 18014398509481984) ^ 2)) / (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976)))))) + 1)) / 2))) * (ln (2 / (1152921504606847 / 1152921504606846976)))))) /\ 0 <= (((1152921504606847 / 1152921504606846976) / 2) - (0 + (1 / (2 ^ 40)))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Rogers filter. RogersFilter(epsilon=2.0, delta=0.001, reading='1/delta', at=None): last x of KOV(1/64, x) admitted, nothing spent *)
Lemma RogersFilter_7_KOV_1_64_x : 0 <= (((2 / 1) - (0 + (((1 / 64) * ((exp (1 / 64)) - 1)) / 2))) - (sqrt (((2 * ((0 + ((1 / 64) ^ 2)) + (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976))))))) * (1 + ((ln (((0 + ((1 / 64) ^ 2)) / (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976)))))) + 1)) / 2))) * (ln (2 / (1152921504606847 / 1152921504606846976)))))) /\ 0 <= (((1152921504606847 / 1152921504606846976) / 2) - (0 + (1152921504606847 / 2305843009213693952))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* Rogers filter. RogersFilter(epsilon=2.0, delta=0.001, reading='1/delta', at=None): last x of Erasure(x) admitted, nothing spent *)
Lemma RogersFilter_7_Erasure_x : 0 <= (((2 / 1) - (0 + 0)) - (sqrt (((2 * ((0 + 0) + (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976))))))) * (1 + ((ln (((0 + 0) / (((2 / 1) ^ 2) / ((701 / 25) * (ln (1 / (1152921504606847 / 1152921504606846976)))))) + 1)) / 2))) * (ln (2 / (1152921504606847 / 1152921504606846976)))))) /\ 0 <= (((1152921504606847 / 1152921504606846976) / 2) - (0 + (1152921504606847 / 2305843009213693952))).
Proof. repeat split; first [lra | interval with (i_prec 160)]. Qed.

(* approximate zCDP filter. ApproximateZCDPFilter(rho=0.5, xi=0.001): last x of Gaussian(x) admitted, nothing spent *)
Lemma ApproximateZCDPFilter_8_Gaussian_x : 0 <= ((1 / 2) - (0 + (((1 / 1) ^ 2) / 2))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + 0)).
Proof. repeat split; lra. Qed.

(* approximate zCDP filter. ApproximateZCDPFilter(rho=0.5, xi=0.001): last x of RandomizedResponse(x) admitted, nothing spent *)
Lemma ApproximateZCDPFilter_8_RandomizedResponse_x : 0 <= ((1 / 2) - (0 + (((1 / 1) ^ 2) / 2))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + 0)).
Proof. repeat split; lra. Qed.

(* approximate zCDP filter. ApproximateZCDPFilter(rho=0.5, xi=0.001): last x of Laplace(x) admitted, nothing spent *)
Lemma ApproximateZCDPFilter_8_Laplace_x : 0 <= ((1 / 2) - (0 + (1 / (2 * ((1 / 1) ^ 2))))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + 0)).
Proof. repeat split; lra. Qed.

(* approximate zCDP filter. ApproximateZCDPFilter(rho=0.5, xi=0.001): last x of KOV(x, 0) admitted, nothing spent *)
Lemma ApproximateZCDPFilter_8_KOV_x_0 : 0 <= ((1 / 2) - (0 + (((1 / 1) ^ 2) / 2))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + 0)).
Proof. repeat split; lra. Qed.

(* approximate zCDP filter. ApproximateZCDPFilter(rho=0.5, xi=0.001): last x of KOV(x, 2^-40) admitted, nothing spent *)
Lemma ApproximateZCDPFilter_8_KOV_x_2_40 : 0 <= ((1 / 2) - (0 + (((1 / 1) ^ 2) / 2))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + (1 / (2 ^ 40)))).
Proof. repeat split; lra. Qed.

(* approximate zCDP filter. ApproximateZCDPFilter(rho=0.5, xi=0.001): last x of KOV(1/64, x) admitted, nothing spent *)
Lemma ApproximateZCDPFilter_8_KOV_1_64_x : 0 <= ((1 / 2) - (0 + (1 / 8192))) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + (1152921504606847 / 1152921504606846976))).
Proof. repeat split; lra. Qed.

(* approximate zCDP filter. ApproximateZCDPFilter(rho=0.5, xi=0.001): last x of Erasure(x) admitted, nothing spent *)
Lemma ApproximateZCDPFilter_8_Erasure_x : 0 <= ((1 / 2) - (0 + 0)) /\ 0 <= ((1152921504606847 / 1152921504606846976) - (0 + (1152921504606847 / 1152921504606846976))).
Proof. repeat split; lra. Qed.
