(* SPDX-License-Identifier: Apache-2.0 *)
(** Earliest deadline first on one core: every task can be preempted at any time ([deadline_sound]), or none can
    ([deadline_non_preemptive_sound]). Deadlines are relative to the arrival. *)
Require Export Amalthea.FixedPriority.
Require prosa.implementation.refinements.EDF.fast_search_space.
Require prosa.implementation.refinements.EDF.refinements.
Require prosa.results.edf.rta.fully_preemptive.
Require prosa.results.edf.rta.fully_nonpreemptive.
From mathcomp Require Import ssreflect ssrbool eqtype ssrnat seq path fintype bigop.
Require Export NArith.
Module S := prosa.implementation.refinements.EDF.fast_search_space.
Module E := prosa.implementation.refinements.EDF.refinements.

Definition edf_points (ts : seq (@task_T N)) (tsk : @task_T N) (L : N) : seq N :=
  filter (fun A => N.ltb A L) (E.search_space_emax_EDF_N ts tsk L).

Definition first_step_pos (t : @task_T N) : bool :=
  N.ltb 0 (fst (head (0%N,0%N) (snd (get_extrapolated_arrival_curve_T t)))).

Definition edf_pre (ts : seq (@task_T N)) (c : claim) : bool :=
  let tsk := nth no_task ts (c_task c) in
  [&& c_task c < size ts, set_ok ts,
      all (fun t => N.ltb 0 (task_cost_T t)) ts, all first_step_pos ts,
      N.ltb 0 (c_L c), N.eqb (c_L c) (E.total_rbf_T ts (c_L c))
    & size (edf_points ts tsk (c_L c)) == size (c_F c) ].

Definition deadline_ok (ts : seq (@task_T N)) (c : claim) : bool :=
  let tsk := nth no_task ts (c_task c) in
  edf_pre ts c && all (E.check_point_FP_T ts tsk (c_R c)) (zip (edf_points ts tsk (c_L c)) (c_F c)).

Definition deadline_non_preemptive_ok (ts : seq (@task_T N)) (c : claim) : bool :=
  let tsk := nth no_task ts (c_task c) in
  edf_pre ts c && all (E.check_point_NP_T ts tsk (c_R c)) (zip (edf_points ts tsk (c_L c)) (c_F c)).

Section Facts.
  Variable ts : seq (@task_T N).
  Let tsn : seq Task := map taskT_to_task ts.
  Hypothesis OK : set_ok ts.
  Hypothesis CP : all (fun t => N.ltb 0 (task_cost_T t)) ts.
  Hypothesis SP : all first_step_pos ts.
  Variable i : nat.
  Hypothesis LT : i < size ts.
  Let tsk := nth no_task ts i.

  Lemma all_costs_pos t : t \in tsn -> 0 < task.task_cost t.
  Proof.
    rewrite /tsn; move: CP; elim: ts => //= x l IH /andP[P Ps]; rewrite in_cons => /orP[/eqP->|]; last by apply: IH.
    by move: P; rewrite ltN; case: x.
  Qed.

  Lemma all_steps_pos t : t \in tsn -> 0 < (head (0,0) (steps_of (get_arrival_curve_prefix t))).1.
  Proof.
    rewrite /tsn; move: SP; elim: ts => //= x l IH /andP[P Ps]; rewrite in_cons => /orP[/eqP->|]; last by apply: IH.
    move: P; rewrite /first_step_pos ltN; case: x => a b [p|m|[h st]] d e //=.
    by case: st => // [[u v] st].
  Qed.

  Lemma in_edf_points (L : N) A :
    prosa.results.edf.rta.bounded_nps.is_in_search_space tsn (taskT_to_task tsk) (nat_of_bin L) A ->
    A \in map nat_of_bin (edf_points ts tsk L).
  Proof.
    move=> IN; move: (IN) => /andP[AL _].
    have IN2 : A \in S.search_space_emax_EDF tsn (taskT_to_task tsk) (nat_of_bin L).
    { apply: S.search_space_subset_EDF.
      - exact: set_ok_valid.
      - exact: all_costs_pos.
      - exact: all_steps_pos.
      - exact: nth_in.
      - by rewrite /S.correct_search_space mem_filter mem_iota /= AL andbT; exact: IN. }
    have RS := E.refine_search_space_emax_EDF ts tsk; rewrite refinesE in RS.
    move: IN2; rewrite (list_R_map _ _ (RS (nat_of_bin L) L (erefl _))) => /mapP[a Ia Ea].
    apply/mapP; exists a => //.
    rewrite /edf_points; elim: (E.search_space_emax_EDF_N ts tsk L) Ia => [|b l IH] //=.
    rewrite in_cons => /orP[/eqP Eq|/IH H].
    - by subst b; rewrite ltN -Ea AL in_cons eq_refl.
    - by case: ifP => _ //; rewrite in_cons H orbT.
  Qed.

  Lemma edf_fix (L : N) : L = E.total_rbf_T ts L ->
    nat_of_bin L = total_request_bound_function tsn (nat_of_bin L).
  Proof.
    move=> FIX; have RH := E.refine_total_rbf' ts; rewrite refinesE in RH.
    by rewrite {1}FIX; apply: RH.
  Qed.
End Facts.

#[local] Existing Instance ideal.processor_state.

Definition deadline_bound (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    all_jobs_from_taskset arr_seq (map taskT_to_task ts) ->
    arrivals_have_valid_job_costs arr_seq ->
    taskset_respects_max_arrivals arr_seq (map taskT_to_task ts) ->
    @valid_schedule Job _ sched JC JA (@basic.basic_ready_instance Job _ JA JC) arr_seq ->

    @work_conserving Job JA JC _ (@basic.basic_ready_instance Job _ JA JC) arr_seq sched ->
    @respects_JLFP_policy_at_preemption_point Job JA JC fully_preemptive_job_model
      (@basic.basic_ready_instance Job _ JA JC) arr_seq sched
      (@edf.EDF Job (@absolute_deadline.job_deadline_from_task_deadline Job [eqType of concrete_task] _ JA JT)) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Theorem deadline_sound (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  all (deadline_ok ts) cs = true -> states cs k i R = true -> deadline_bound ts i R.
Proof.
  move=> H /and3P[LTk /eqP<- /N.eqb_spec<-].
  move: (all_pick _ _ _ H LTk); set c := nth no_claim cs k.
  move=> /andP[/and5P[LT OK CP SP /and3P[LP /N.eqb_spec FIX /eqP SZ]] ALL].
  move=> Job JT JA JC arr_seq sched V A C AC VS WC POL.
  apply: (prosa.results.edf.rta.fully_preemptive.uniprocessor_response_time_bound_fully_preemptive_edf
            arr_seq V (map taskT_to_task ts) A C _ AC _ _ sched VS WC POL (nat_of_bin (c_L c))).
  - exact: set_ok_curve.
  - exact: nth_in.
  - by rewrite ltN in LP.
  - exact: edf_fix.
  - move=> x SS.
    have PI := in_edf_points ts OK CP SP _ LT (c_L c) x SS.
    have [a [f [-> CK]]] := zip_exists _ _ _ _ SZ ALL PI.
    exists (nat_of_bin f).
    have RC := E.refine_check_point_FP' ts (nth no_task ts (c_task c)); rewrite refinesE in RC.
    have Y : bool_R (S.check_point_FP (map taskT_to_task ts) (taskT_to_task (nth no_task ts (c_task c)))
                                      (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f))
                    (E.check_point_FP_T ts (nth no_task ts (c_task c)) (c_R c) (a, f)).
    { by apply: RC. }
    have X : S.check_point_FP (map taskT_to_task ts) (taskT_to_task (nth no_task ts (c_task c)))
                              (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f).
    { by rewrite (bool_R_eq' _ _ Y). }
    move: X => /andP[X1 X2]; split => //.
  Qed.

Definition deadline_non_preemptive_bound (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    all_jobs_from_taskset arr_seq (map taskT_to_task ts) ->
    arrivals_have_valid_job_costs arr_seq ->
    taskset_respects_max_arrivals arr_seq (map taskT_to_task ts) ->
    @valid_schedule Job _ sched JC JA (@basic.basic_ready_instance Job _ JA JC) arr_seq ->
    nonpreemptive_schedule sched ->
    @work_conserving Job JA JC _ (@basic.basic_ready_instance Job _ JA JC) arr_seq sched ->
    @respects_JLFP_policy_at_preemption_point Job JA JC fully_nonpreemptive_job_model
      (@basic.basic_ready_instance Job _ JA JC) arr_seq sched
      (@edf.EDF Job (@absolute_deadline.job_deadline_from_task_deadline Job [eqType of concrete_task] _ JA JT)) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Theorem deadline_non_preemptive_sound (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  all (deadline_non_preemptive_ok ts) cs = true -> states cs k i R = true -> deadline_non_preemptive_bound ts i R.
Proof.
  move=> H /and3P[LTk /eqP<- /N.eqb_spec<-].
  move: (all_pick _ _ _ H LTk); set c := nth no_claim cs k.
  move=> /andP[/and5P[LT OK CP SP /and3P[LP /N.eqb_spec FIX /eqP SZ]] ALL].
  move=> Job JT JA JC arr_seq sched V A C AC VS NPS WC POL.
  apply: (prosa.results.edf.rta.fully_nonpreemptive.uniprocessor_response_time_bound_fully_nonpreemptive_edf
            arr_seq V (map taskT_to_task ts) A C _ AC _ _ sched VS NPS WC POL (nat_of_bin (c_L c))).
  - exact: set_ok_curve.
  - exact: nth_in.
  - by rewrite ltN in LP.
  - exact: edf_fix.
  - move=> x SS.
    have PI := in_edf_points ts OK CP SP _ LT (c_L c) x SS.
    have [a [f [-> CK]]] := zip_exists _ _ _ _ SZ ALL PI.
    exists (nat_of_bin f).
    have RC := E.refine_check_point_NP' ts (nth no_task ts (c_task c)); rewrite refinesE in RC.
    have Y : bool_R (S.check_point_NP (map taskT_to_task ts) (taskT_to_task (nth no_task ts (c_task c)))
                                      (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f))
                    (E.check_point_NP_T ts (nth no_task ts (c_task c)) (c_R c) (a, f)).
    { by apply: RC. }
    have X : S.check_point_NP (map taskT_to_task ts) (taskT_to_task (nth no_task ts (c_task c)))
                              (nat_of_bin (c_R c)) (nat_of_bin a, nat_of_bin f).
    { by rewrite (bool_R_eq' _ _ Y). }
    move: X => /andP[X1 X2]; split => //.
    by move: X1; rewrite /= /S.blocking_bound_NP map_id.
Qed.

