(* SPDX-License-Identifier: Apache-2.0 *)
(** Fixed priorities on one core: every task can be preempted at any time, or none can.

    A certificate is a task set and, for each of its tasks, a claim. [preemptive_ok] and [non_preemptive_ok] evaluate
    the claims over binary numbers. [preemptive_sound] and [non_preemptive_sound] show, from theorems of Prosa 0.5, that
    a claim that they accept bounds the response time in every schedule. Time counts ticks of any length.

    The names are those of docs/theory/bounds.md: C is the cost, L the length of the busy interval, R the bound. A is an
    arrival after the start of the busy interval, and A + F the time at which its last section has begun. *)
Require Export prosa.implementation.refinements.FP.fast_search_space.
Require Export prosa.implementation.refinements.FP.refinements.
Require Export prosa.results.fixed_priority.rta.fully_preemptive.
Require Export prosa.results.fixed_priority.rta.fully_nonpreemptive.
Require Export prosa.results.fixed_priority.rta.floating_nonpreemptive.
Require Export prosa.results.fixed_priority.rta.limited_preemptive.
From mathcomp Require Import ssreflect ssrbool eqtype ssrnat seq path fintype bigop.
Require Export NArith.

(** One analysed task: index in the task set, busy-interval fixed point,
    response-time bound and one F for each point of the search space. *)
Record claim := Claim { c_task : nat; c_L : N; c_R : N; c_F : seq N }.

Definition no_task : @task_T N :=
  {| task_id_T := 0%N; task_cost_T := 0%N; task_deadline_T := 0%N;
     task_arrival_T := Periodic_T 1%N; task_priority_T := 0%N |}.

Definition set_ok (ts : seq (@task_T N)) : bool := all valid_arrivals_T ts.

(** Points of the search space that lie in the busy interval. *)
Definition points (tsk : @task_T N) (L : N) : seq N :=
  filter (fun A => N.ltb A L) (search_space_emax_FP_N tsk L).

Definition preemptive_ok (ts : seq (@task_T N)) (c : claim) : bool :=
  let tsk := nth no_task ts (c_task c) in
  let pts := points tsk (c_L c) in
  [&& c_task c < size ts, set_ok ts, N.ltb 0 (task_cost_T tsk), N.ltb 0 (c_L c),
      N.eqb (c_L c) (total_hep_rbf_T ts tsk (c_L c)),
      size pts == size (c_F c)
    & all (check_point_FP_T ts tsk (c_R c)) (zip pts (c_F c)) ].

Definition non_preemptive_ok (ts : seq (@task_T N)) (c : claim) : bool :=
  let tsk := nth no_task ts (c_task c) in
  let pts := points tsk (c_L c) in
  [&& c_task c < size ts, set_ok ts, N.ltb 0 (task_cost_T tsk), N.ltb 0 (c_L c),
      N.eqb (c_L c) (N.add (blocking_bound_NP_T ts tsk) (total_hep_rbf_T ts tsk (c_L c))),
      size pts == size (c_F c)
    & all (check_point_NP_T ts tsk (c_R c)) (zip pts (c_F c)) ].

Lemma Rnat_eq n (b : N) : refines Rnat n b -> n = nat_of_bin b.
Proof. by rewrite refinesE => <-. Qed.

Lemma bool_R_eq a b : refines bool_R a b -> a = b.
Proof. by rewrite refinesE; case. Qed.

Lemma bool_R_eq' a b : bool_R a b -> a = b.
Proof. by case. Qed.

Lemma list_R_map xs xs' : list_R Rnat xs xs' -> xs = map nat_of_bin xs'.
Proof. by elim=> //= x x' <- s s' _ ->. Qed.

Lemma Rnat_refl b : refines Rnat (nat_of_bin b) b.
Proof. by rewrite refinesE. Qed.

Lemma ltN a b : N.ltb a b = (nat_of_bin a < nat_of_bin b).
Proof.
  have H := refine_ltn _ _ _ _ (erefl (nat_of_bin a) : Rnat _ a) (erefl (nat_of_bin b) : Rnat _ b).
  by rewrite (bool_R_eq' _ _ H).
Qed.

Section Facts.
  Variable ts : seq (@task_T N).
  Let tsn := map taskT_to_task ts.
  Hypothesis OK : set_ok ts.

  Lemma set_ok_valid : task_set_with_valid_arrivals tsn.
  Proof.
    move=> tsk; rewrite /tsn; move: OK; rewrite /set_ok.
    elim: ts => //= t l IH /andP[V Vs]; rewrite in_cons => /orP[/eqP->|]; last by apply IH.
    by rewrite (bool_R_eq _ _ (refine_valid_arrivals t)).
  Qed.

  Lemma set_ok_curve : valid_taskset_arrival_curve tsn (@max_arrivals _ ConcreteMaxArrivals).
  Proof.
    move=> tsk IN.
    have [ac [EQ [POS [LARGE [NOINF [BUR SORT]]]]]] :=
      has_valid_arrival_curve_prefix_tsk tsn set_ok_valid tsk IN.
    have SL := sorted_ltn_steps_imply_sorted_leq_steps_steps _ SORT NOINF.
    split.
    - rewrite /max_arrivals /ConcreteMaxArrivals /concrete_max_arrivals EQ
              /extrapolated_arrival_curve div0n mul0n mod0n add0n.
      by apply/eqP.
    - move=> t1 t2 LE.
      rewrite /max_arrivals /ConcreteMaxArrivals /concrete_max_arrivals EQ.
      by apply: extrapolated_arrival_curve_is_monotone.
  Qed.

  Variable i : nat.
  Hypothesis LT : i < size ts.
  Let tsk := nth no_task ts i.

  Lemma nth_in : taskT_to_task tsk \in tsn.
  Proof. by rewrite /tsk -(nth_map no_task (taskT_to_task no_task)) // mem_nth // size_map. Qed.

  Lemma cost_pos : N.ltb 0 (task_cost_T tsk) -> 0 < task.task_cost (taskT_to_task tsk).
  Proof. by rewrite ltN; case: tsk. Qed.

  Lemma in_points (L : N) A :
    0 < task.task_cost (taskT_to_task tsk) ->
    bounded_pi.is_in_search_space (taskT_to_task tsk) L A ->
    A \in map nat_of_bin (points tsk L).
  Proof.
    move=> POS IN; move: (IN) => /andP[AL _].
    have IN2 : A \in search_space_emax_FP (taskT_to_task tsk) L.
    { apply: (search_space_subset_FP L tsn) => //.
      - exact: set_ok_valid.
      - exact: nth_in.
      - by rewrite /correct_search_space mem_filter IN /= mem_iota. }
    have RS := refine_search_space_emax tsk; rewrite refinesE in RS.
    move: IN2; rewrite (list_R_map _ _ (RS L L (erefl _))) => /mapP[a Ia Ea].
    apply/mapP; exists a => //.
    rewrite /points; elim: (search_space_emax_FP_N tsk L) Ia => [|b l IH] //=.
    rewrite in_cons => /orP[/eqP E|/IH H].
    - by subst b; rewrite ltN -Ea AL in_cons eq_refl.
    - by case: ifP => _ //; rewrite in_cons H orbT.
  Qed.

  Lemma zip_exists (P : N * N -> bool) (xs ys : seq N) x :
    size xs = size ys -> all P (zip xs ys) -> x \in map nat_of_bin xs ->
    exists a f, x = nat_of_bin a /\ P (a, f).
  Proof.
    elim: xs ys => [|a xs IH] [|f ys] //= [SZ] /andP[Pa Pl].
    rewrite in_cons => /orP[/eqP->|IN]; first by exists a, f.
    by apply: (IH ys).
  Qed.
End Facts.

(** * Fully preemptive fixed priority *)
Section FPP.
  #[local] Existing Instance ideal.processor_state.
  Let Task := [eqType of concrete_task].
  Context {Job : JobType} `{JobTask Job Task} `{JobArrival Job} `{JobCost Job}.
  #[local] Existing Instance fully_preemptive_job_model.

  Variable ts : seq (@task_T N).
  Variable c : claim.
  Let tsn : seq Task := map taskT_to_task ts.
  Let tsk : Task := taskT_to_task (nth no_task ts (c_task c)).

  Variable arr_seq : arrival_sequence Job.
  Hypothesis H_arr : valid_arrival_sequence arr_seq.
  Hypothesis H_all : all_jobs_from_taskset arr_seq tsn.
  Hypothesis H_cost : arrivals_have_valid_job_costs arr_seq.
  Hypothesis H_curve : taskset_respects_max_arrivals arr_seq tsn.
  #[local] Instance seq_ready_p : JobReady Job (ideal.processor_state Job) :=
    sequential_ready_instance arr_seq.
  Variable sched : schedule (ideal.processor_state Job).
  Hypothesis H_valid : valid_schedule sched arr_seq.
  Hypothesis H_wc : work_conserving arr_seq sched.
  Hypothesis H_pol : respects_FP_policy_at_preemption_point arr_seq sched (NumericFPAscending Task).

  Theorem preemptive_response : preemptive_ok ts c -> task_response_time_bound arr_seq sched tsk (nat_of_bin (c_R c)).
  Proof.
    move=> /and5P[LT OK CP LP /and3P[/eqP FIX /eqP SZ ALL]].
    have VA := set_ok_valid ts OK.
    apply: (uniprocessor_response_time_bound_fully_preemptive_fp
              arr_seq H_arr tsn H_all H_cost _ H_curve tsk _ sched H_valid
              (FP := NumericFPAscending Task) _ _ H_wc H_pol (nat_of_bin (c_L c))).
    - exact: set_ok_curve.
    - exact: nth_in.
    - exact: NFPA_is_reflexive.
    - exact: NFPA_is_transitive.
    - by rewrite ltN in LP.
    - have RH := refine_total_hep_rbf' ts (nth no_task ts (c_task c)); rewrite refinesE in RH.
      have E : total_hep_rbf tsn tsk (nat_of_bin (c_L c)) = nat_of_bin (c_L c).
      { by rewrite /tsn /tsk {2}FIX; symmetry; apply: RH. }
      by rewrite -{1}E.
    - move=> A SS.
      have PI := in_points ts OK _ LT (c_L c) A (cost_pos ts _ CP) SS.
      have [a [f [-> CK]]] := zip_exists _ _ _ _ SZ ALL PI.
      exists (nat_of_bin f).
      have RC := refine_check_point' ts (nth no_task ts (c_task c)); rewrite refinesE in RC.
      have X : check_point_FP tsn tsk (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f).
      { have Y : bool_R (check_point_FP tsn tsk (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f))
                        (check_point_FP_T ts (nth no_task ts (c_task c)) (c_R c) (a, f)).
        { by apply: RC. }
        by rewrite (bool_R_eq' _ _ Y). }
      by move: X => /andP[].
  Qed.
End FPP.

(** * Fully non-preemptive fixed priority *)
Section FPNP.
  #[local] Existing Instance ideal.processor_state.
  Let Task := [eqType of concrete_task].
  Context {Job : JobType} `{JobTask Job Task} `{JobArrival Job} `{JobCost Job}.
  #[local] Existing Instance fully_nonpreemptive_job_model.

  Variable ts : seq (@task_T N).
  Variable c : claim.
  Let tsn : seq Task := map taskT_to_task ts.
  Let tsk : Task := taskT_to_task (nth no_task ts (c_task c)).

  Variable arr_seq : arrival_sequence Job.
  Hypothesis H_arr : valid_arrival_sequence arr_seq.
  Hypothesis H_all : all_jobs_from_taskset arr_seq tsn.
  Hypothesis H_cost : arrivals_have_valid_job_costs arr_seq.
  Hypothesis H_curve : taskset_respects_max_arrivals arr_seq tsn.
  #[local] Instance seq_ready_np : JobReady Job (ideal.processor_state Job) :=
    sequential_ready_instance arr_seq.
  Variable sched : schedule (ideal.processor_state Job).
  Hypothesis H_valid : valid_schedule sched arr_seq.
  Hypothesis H_np : nonpreemptive_schedule sched.
  Hypothesis H_wc : work_conserving arr_seq sched.
  Hypothesis H_pol : respects_FP_policy_at_preemption_point arr_seq sched (NumericFPAscending Task).

  Theorem non_preemptive_response :
    non_preemptive_ok ts c -> task_response_time_bound arr_seq sched tsk (nat_of_bin (c_R c)).
  Proof.
    move=> /and5P[LT OK CP LP /and3P[/eqP FIX /eqP SZ ALL]].
    have VA := set_ok_valid ts OK.
    apply: (uniprocessor_response_time_bound_fully_nonpreemptive_fp
              arr_seq H_arr tsn H_all H_cost _ H_curve tsk _ sched H_valid H_np
              (FP := NumericFPAscending Task) _ _ H_wc H_pol (nat_of_bin (c_L c))).
    - exact: set_ok_curve.
    - exact: nth_in.
    - exact: NFPA_is_reflexive.
    - exact: NFPA_is_transitive.
    - by rewrite ltN in LP.
    - have RH := refine_total_hep_rbf' ts (nth no_task ts (c_task c)); rewrite refinesE in RH.
      have RB := refine_blocking_bound' ts (nth no_task ts (c_task c)); rewrite refinesE in RB.
      have E : blocking_bound_NP tsn tsk + total_hep_rbf tsn tsk (nat_of_bin (c_L c)) = nat_of_bin (c_L c).
      { rewrite /tsn /tsk {2}FIX nat_of_add_bin -RB; congr addn.
        by symmetry; apply: RH. }
      by rewrite -{1}E.
    - move=> A SS.
      have PI := in_points ts OK _ LT (c_L c) A (cost_pos ts _ CP) SS.
      have [a [f [-> CK]]] := zip_exists _ _ _ _ SZ ALL PI.
      exists (nat_of_bin f).
      have RC := refine_check_point_NP' ts (nth no_task ts (c_task c)); rewrite refinesE in RC.
      have X : check_point_NP tsn tsk (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f).
      { have Y : bool_R (check_point_NP tsn tsk (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f))
                        (check_point_NP_T ts (nth no_task ts (c_task c)) (c_R c) (a, f)).
        { by apply: RC. }
        by rewrite (bool_R_eq' _ _ Y). }
      by move: X => /andP[].
  Qed.
End FPNP.

(** * What a certificate states *)
#[local] Existing Instance ideal.processor_state.
Definition no_claim : claim := {| c_task := 0; c_L := 0%N; c_R := 0%N; c_F := [::] |}.

(** [preemptive_bound ts i R]: in every valid, work-conserving, fully preemptive
    fixed-priority schedule of jobs of [ts] on one ideal processor, every job
    of the [i]-th task completes within [R] of its arrival. *)
Definition preemptive_bound (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    all_jobs_from_taskset arr_seq (map taskT_to_task ts) ->
    arrivals_have_valid_job_costs arr_seq ->
    taskset_respects_max_arrivals arr_seq (map taskT_to_task ts) ->
    @valid_schedule Job _ sched JC JA (sequential_ready_instance arr_seq) arr_seq ->
    @work_conserving Job JA JC _ (sequential_ready_instance arr_seq) arr_seq sched ->
    @respects_FP_policy_at_preemption_point _ Job JT JA JC fully_preemptive_job_model
      (sequential_ready_instance arr_seq) arr_seq sched (NumericFPAscending _) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Definition non_preemptive_bound (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    all_jobs_from_taskset arr_seq (map taskT_to_task ts) ->
    arrivals_have_valid_job_costs arr_seq ->
    taskset_respects_max_arrivals arr_seq (map taskT_to_task ts) ->
    @valid_schedule Job _ sched JC JA (sequential_ready_instance arr_seq) arr_seq ->
    nonpreemptive_schedule sched ->
    @work_conserving Job JA JC _ (sequential_ready_instance arr_seq) arr_seq sched ->
    @respects_FP_policy_at_preemption_point _ Job JT JA JC fully_nonpreemptive_job_model
      (sequential_ready_instance arr_seq) arr_seq sched (NumericFPAscending _) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Lemma all_pick (P : claim -> bool) (cs : seq claim) (k : nat) :
  all P cs = true -> k < size cs -> P (nth no_claim cs k).
Proof. by elim: cs k => [|x cs IH] [|k] //= /andP[Px Pl] LT //; apply: IH. Qed.


(** [states cs k i R]: the k-th claim is about task [i] and bound [R]. *)
Definition states (cs : seq claim) (k i : nat) (R : N) : bool :=
  let c := nth no_claim cs k in [&& k < size cs, c_task c == i & N.eqb (c_R c) R].

Theorem preemptive_sound (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  all (preemptive_ok ts) cs = true -> states cs k i R = true -> preemptive_bound ts i R.
Proof.
  move=> H /and3P[LT /eqP<- /N.eqb_spec<-] Job JT JA JC arr_seq sched *.
  by apply: preemptive_response => //; apply: all_pick.
Qed.

Theorem non_preemptive_sound (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  all (non_preemptive_ok ts) cs = true -> states cs k i R = true -> non_preemptive_bound ts i R.
Proof.
  move=> H /and3P[LT /eqP<- /N.eqb_spec<-] Job JT JA JC arr_seq sched *.
  by apply: non_preemptive_response => //; apply: all_pick.
Qed.
