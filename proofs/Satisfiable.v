(* SPDX-License-Identifier: Apache-2.0 *)
(** The hypotheses of every bound can hold together, with jobs: one job of the task arrives at 0 and executes for its
    whole cost; in a row, it triggers a second one. So none of the bounds holds only because no system fulfils what it
    assumes. *)
Require Import Amalthea.FixedPriority Amalthea.LowerPriorities Amalthea.Rows.
Require Import Amalthea.Sections Amalthea.EarliestDeadline.
From mathcomp Require Import ssreflect ssrbool eqtype ssrnat seq path fintype bigop.
#[local] Existing Instance ideal.processor_state.

Section OneJob.
  Variables (ts : seq (@task_T N)) (i : nat).
  Hypothesis OK : set_ok ts.
  Hypothesis LT : i < size ts.
  Let tsk : [eqType of concrete_task] := taskT_to_task (nth no_task ts i).

  Definition one_job : JobType := [eqType of unit].
  #[local] Instance one_task : JobTask one_job [eqType of concrete_task] := fun _ => tsk.
  #[local] Instance one_arrival : JobArrival one_job := fun _ => 0.
  #[local] Instance one_cost : JobCost one_job := fun _ => task.task_cost tsk.
  Definition one_arrivals : arrival_sequence one_job := fun t => if t == 0 then [:: tt] else [::].
  Definition one_sched : schedule (ideal.processor_state one_job) :=
    fun t => if t < task.task_cost tsk then Some tt else None.

  Lemma arrivals_valid : valid_arrival_sequence one_arrivals.
  Proof.
    split=> [j t|t]; rewrite /arrives_at /arrivals_at /one_arrivals.
    - by case: eqP => [->|].
    - by case: eqP.
  Qed.

  Lemma from_set : all_jobs_from_taskset one_arrivals (map taskT_to_task ts).
  Proof. by move=> j _; rewrite /job_task /one_task; exact: nth_in. Qed.

  Lemma costs_valid : arrivals_have_valid_job_costs one_arrivals.
  Proof. by move=> j _; rewrite /valid_job_cost /job_cost /one_cost. Qed.

  Lemma at_most_one t1 t2 : size (arrivals_between one_arrivals t1 t2) <= (t1 < t2).
  Proof.
    rewrite /arrivals_between; case: (ltnP t1 t2) => [LT12|GE]; last by rewrite big_geq.
    elim: t2 LT12 => [|t2 IH] //= LT12.
    rewrite big_nat_recr //= size_cat /arrivals_at {2}/one_arrivals.
    case: t2 IH LT12 => [|t2] IH LT12 /=.
    - by move: LT12; rewrite ltnS leqn0 => /eqP->; rewrite big_geq.
    - rewrite addn0; case: (ltnP t1 t2.+1) => [L|G]; first by apply: IH.
      by rewrite big_geq.
  Qed.

  (** Some job of the task may arrive. *)
  Hypothesis POS : 0 < max_arrivals tsk 1.

  Lemma curves_respected : taskset_respects_max_arrivals one_arrivals (map taskT_to_task ts).
  Proof.
    move=> t IN t1 t2 LE; rewrite /number_of_task_arrivals /task_arrivals_between.
    case T: (t == tsk); last first.
    - rewrite (_ : [seq j <- _ | _] = [::]) //.
      by elim: (arrivals_between _ _ _) => //= x l ->; rewrite /job_of_task /job_task /one_task eq_sym T.
    - move/eqP: T => T; subst t.
      apply: leq_trans (_ : (t1 < t2) <= _).
      + apply: leq_trans (at_most_one t1 t2).
        by rewrite size_filter; exact: count_size.
      + case: (ltnP t1 t2) => [LT12|] //=.
        have [_ M] := set_ok_curve ts OK tsk IN.
        by apply: leq_trans POS (M _ _ _); rewrite subn_gt0.
  Qed.

  Lemma scheduled_now t : scheduled_at one_sched tt t = (t < task.task_cost tsk).
  Proof. by rewrite scheduled_at_def /one_sched; case: (t < task.task_cost tsk). Qed.

  Lemma served t : service one_sched tt t = minn t (task.task_cost tsk).
  Proof.
    rewrite /service /service_during.
    elim: t => [|t IH]; first by rewrite big_geq // min0n.
    rewrite big_nat_recr //= IH service_at_is_scheduled_at scheduled_now.
    case: (leqP t.+1 (task.task_cost tsk)) => [L|G].
    - by rewrite (minn_idPl (ltnW L)) addn1.
    - by rewrite addn0; apply/minn_idPr.
  Qed.

  Lemma ready_now t : t < task.task_cost tsk -> pending one_sched tt t.
  Proof.
    move=> L; rewrite /pending /has_arrived /completed_by served /job_arrival /one_arrival /job_cost /one_cost /=.
    by rewrite -ltnNge gtn_min L.
  Qed.

  Lemma never_backlogged (ready : JobReady one_job (ideal.processor_state one_job)) j t (P : Prop) :
    @backlogged _ _ _ _ ready one_sched j t -> P.
  Proof.
    case: j; rewrite /backlogged scheduled_now => /andP[R NS]; exfalso.
    case: ready R => jr RP /= R; move: (RP _ _ _ R) => /andP[_].
    rewrite /completed_by served /job_cost /one_cost => /negP; apply.
    by move: NS; rewrite -leqNgt => /minn_idPr->.
  Qed.

  Lemma comes_from_arrivals : jobs_come_from_arrival_sequence one_sched one_arrivals.
  Proof. by case=> t _; exists 0. Qed.

  Lemma nonpreemptive : nonpreemptive_schedule one_sched.
  Proof.
    case=> t t' LE _; rewrite /completed_by served scheduled_now /job_cost /one_cost => NC.
    by rewrite ltnNge; apply/negP => G; move: NC; rewrite (minn_idPr G) leqnn.
  Qed.

  Lemma schedule_valid : @valid_schedule one_job _ one_sched _ _ (sequential_ready_instance one_arrivals) one_arrivals.
  Proof.
    split; first exact: comes_from_arrivals.
    case=> t; rewrite scheduled_now => /ready_now P.
    rewrite /job_ready /=; apply/andP; split=> //.
    by apply/allP => x; rewrite mem_filter => /andP[_]; rewrite /arrivals_between big_geq.
  Qed.

  (** The task completes its job, at its cost. *)
  Theorem preemptive_satisfiable R : preemptive_bound ts i R ->
    task_response_time_bound one_arrivals one_sched tsk (nat_of_bin R).
  Proof.
    move=> B; apply: B.
    - exact: arrivals_valid.
    - exact: from_set.
    - exact: costs_valid.
    - exact: curves_respected.
    - exact: schedule_valid.
    - by move=> j t _; apply: never_backlogged.
    - by move=> j jh t _ _ BL _; apply: never_backlogged BL.
  Qed.

  Theorem preemptive_above_satisfiable R : preemptive_above_bound ts i R ->
    task_response_time_bound one_arrivals one_sched tsk (nat_of_bin R).
  Proof.
    move=> B; apply: (B _ _ _ _ (sequential_ready_instance one_arrivals)) => //.
    - exact: arrivals_valid.
    - by move=> j _; left; exact: nth_in.
    - exact: curves_respected.
    - exact: schedule_valid.
    - by move=> j t _; apply: never_backlogged.
    - by move=> j jh t _ _ BL _; apply: never_backlogged BL.
  Qed.

  Theorem non_preemptive_satisfiable R : non_preemptive_bound ts i R ->
    task_response_time_bound one_arrivals one_sched tsk (nat_of_bin R).
  Proof.
    move=> B; apply: B; [exact: arrivals_valid | exact: from_set | exact: costs_valid | exact: curves_respected
                        | exact: schedule_valid | exact: nonpreemptive | |].
    - by move=> j t _; apply: never_backlogged.
    - by move=> j jh t _ _ BL _; apply: never_backlogged BL.
  Qed.

  Theorem deadline_satisfiable R : deadline_bound ts i R ->
    task_response_time_bound one_arrivals one_sched tsk (nat_of_bin R).
  Proof.
    move=> B; apply: B; [exact: arrivals_valid | exact: from_set | exact: costs_valid | exact: curves_respected | | |].
    - by split; [exact: comes_from_arrivals | case=> t; rewrite scheduled_now; exact: ready_now].
    - by move=> j t _; apply: never_backlogged.
    - by move=> j jh t _ _ BL _; apply: never_backlogged BL.
  Qed.

  Theorem deadline_non_preemptive_satisfiable R : deadline_non_preemptive_bound ts i R ->
    task_response_time_bound one_arrivals one_sched tsk (nat_of_bin R).
  Proof.
    move=> B; apply: B; [exact: arrivals_valid | exact: from_set | exact: costs_valid | exact: curves_respected
                        | | exact: nonpreemptive | |].
    - by split; [exact: comes_from_arrivals | case=> t; rewrite scheduled_now; exact: ready_now].
    - by move=> j t _; apply: never_backlogged.
    - by move=> j jh t _ _ BL _; apply: never_backlogged BL.
  Qed.

  (** The job may be preempted at every point of its execution. *)
  #[local] Instance one_points : JobPreemptionPoints one_job :=
    {| job_preemptive_points := fun _ => index_iota 0 (task.task_cost tsk).+1 |}.

  Lemma last_index n : last0 (index_iota 0 n.+1) = n.
  Proof. by rewrite /last0 /index_iota subn0 -[n.+1]addn1 iotaD last_cat. Qed.

  Lemma index_nondecreasing n : nondecreasing_sequence (index_iota 0 n.+1).
  Proof.
    move=> n1 n2; rewrite /index_iota subn0 size_iota => /andP[LE L2].
    by rewrite !nth_iota // (leq_ltn_trans LE L2).
  Qed.

  Lemma points_valid (segs : seq N) : N.ltb 0 (seg_of segs (nth no_task ts i)) ->
    @valid_model_with_floating_nonpreemptive_regions
      _ (task_seg segs) one_job one_task one_cost one_points one_arrivals.
  Proof.
    move=> SEG; split.
    - split; last split.
      + by move=> j _; rewrite [_ \in _]mem_index_iota.
      + by move=> j _; exact: last_index.
      + by move=> j _; exact: index_nondecreasing.
    - move=> j _; apply: (@leq_trans 1).
      + rewrite /job_max_nonpreemptive_segment /lengths_of_segments.
        have -> : @job_preemption_points _ one_cost (@limited_preemptive_job_model _ one_points) j =
                   index_iota 0 (task.task_cost tsk).+1.
        { rewrite /job_preemption_points -[RHS]filter_predT.
          by apply: (@eq_in_filter nat_eqType) => x IN; exact: IN. }
        case E: (distances _) => [|a l] //.
        rewrite (max0_of_uniform_set 1) // => x IN.
        by apply: (distances_of_iota_ε (task.task_cost tsk).+1); rewrite E.
      + rewrite /task_max_nonpreemptive_segment /task_seg /job_task /one_task.
        by move: SEG; rewrite ltN /seg_of /tsk; case: (nth no_task ts i).
  Qed.

  Theorem floating_satisfiable segs R : N.ltb 0 (seg_of segs (nth no_task ts i)) ->
    floating_bound segs ts i R -> task_response_time_bound one_arrivals one_sched tsk (nat_of_bin R).
  Proof.
    move=> SEG B; apply: (B _ _ _ _ one_points); [exact: arrivals_valid | exact: points_valid | exact: from_set
      | exact: costs_valid | exact: curves_respected | exact: schedule_valid | | |].
    - move=> j t _; rewrite /job_preemptable /limited_preemptive_job_model /job_preemptive_points /=.
      by case: j; rewrite served mem_index_iota ltnS geq_minr.
    - by move=> j t _; apply: never_backlogged.
    - by move=> j jh t _ _ BL _; apply: never_backlogged BL.
  Qed.
End OneJob.

Require Import NArith.

(** A job arrives at 0, executes for one tick, and triggers the other job, which then executes for one tick. *)
Section TwoJobs.
  Let source : @task_T N := {| task_id_T := 0; task_cost_T := 1; task_deadline_T := 0; task_priority_T := 2;
                               task_arrival_T := Periodic_T 10%N |}%N.
  Let target : @task_T N := {| task_id_T := 1; task_cost_T := 1; task_deadline_T := 0; task_priority_T := 1;
                               task_arrival_T := Periodic_T 10%N |}%N.
  Definition two_tasks : seq (@task_T N) := [:: source; target].
  Definition two_rows : seq row := [:: {| r_task := 1; r_source := 0; r_least := 1%N; r_claim := 0 |}].

  Definition two_job : JobType := [eqType of bool].
  #[local] Instance two_task : JobTask two_job [eqType of concrete_task] :=
    fun j => taskT_to_task (if j then source else target).
  #[local] Instance two_arrival : JobArrival two_job := fun j => if j then 0 else 1.
  #[local] Instance two_cost : JobCost two_job := fun _ => 1.
  Definition two_arrivals : arrival_sequence two_job :=
    fun t => match t with 0 => [:: true] | 1 => [:: false] | _ => [::] end.
  Definition two_sched : schedule (ideal.processor_state two_job) :=
    fun t => match t with 0 => Some true | 1 => Some false | _ => None end.

  Lemma two_served j t : service two_sched j t = (job_arrival j < t).
  Proof.
    rewrite /service /service_during; elim: t => [|t IH]; first by rewrite big_geq.
    rewrite big_nat_recr //= IH service_at_is_scheduled_at scheduled_at_def /job_arrival /two_arrival.
    by clear IH; case: t => [|[|t]]; case: j.
  Qed.

  Lemma two_completed j t : completed_by two_sched j t = (job_arrival j < t).
  Proof. by rewrite /completed_by two_served /job_cost /two_cost; case: (job_arrival j < t). Qed.

  Lemma two_scheduled j t : scheduled_at two_sched j t = (t == job_arrival j).
  Proof. by rewrite scheduled_at_def; case: t => [|[|t]]; case: j. Qed.

  Lemma two_never_backlogged j t (P : Prop) :
    @backlogged _ _ _ _ (sequential_ready_instance two_arrivals) two_sched j t -> P.
  Proof.
    rewrite /backlogged two_scheduled /job_ready /= /pending /has_arrived two_completed.
    move=> /andP[/andP[/andP[A B] _] C]; exfalso; move: B C; rewrite -leqNgt => B /negP; apply.
    by rewrite eqn_leq B A.
  Qed.

  Theorem preemptive_rows_satisfiable R : preemptive_rows_bound two_rows two_tasks 1 R ->
    task_response_time_bound two_arrivals two_sched (taskT_to_task target) (nat_of_bin R).
  Proof.
    move=> B; apply: (B _ _ _ _ (sequential_ready_instance two_arrivals)) => //.
    - by split=> [j [|[|t]]|[|[|t]]]; rewrite /arrives_at //= mem_seq1 => /eqP->.
    - by move=> j _; left; case: j; rewrite !in_cons eq_refl ?orbT.
    - by case.
    - case=> [|[|k]] // _ _ tsk t1 t2 LE; rewrite /number_of_task_arrivals /task_arrivals_between.
      case: (ltnP t1 t2) => [LT|GE]; last by rewrite /arrivals_between big_geq.
      apply: leq_trans (_ : 1 <= _).
      + rewrite /arrivals_between; elim: t2 {LE} LT => [|t2 IH] // LT.
        rewrite big_nat_recr //= filter_cat size_cat.
        move: LT; rewrite ltnS leq_eqVlt => /orP[/eqP->|LT].
        * by rewrite big_geq //; case: t2 {IH} => [|[|t2]].
        * case: t2 IH LT => [|[|t2]] IH LT //; rewrite /arrivals_at /two_arrivals.
          -- by rewrite addn0; apply: IH.
          -- by rewrite addn0; apply: IH.
      + have [_ MONO] := set_ok_curve two_tasks isT tsk (mem_head _ _).
        by apply: leq_trans (MONO 1 _ _); rewrite ?subn_gt0.
    - case=> [|n] // _; exists (fun=> true); split.
      + case=> [_ E|_ _]; first by move: E.
        split=> //; first by exists 0.
        by case=> [|t] //; rewrite two_completed.
      + by case; case.
    - split=> [j t|j t]; rewrite two_scheduled => /eqP E; first by case: j {E}; [exists 0 | exists 1].
      rewrite E /job_ready /= /pending /has_arrived two_completed ltnn leqnn /=.
      apply/allP => k; rewrite mem_filter two_completed => /andP[_].
      case: j {E}; rewrite /arrivals_between /job_arrival /two_arrival /=; first by rewrite big_geq.
      rewrite big_nat1.
      by rewrite /arrivals_at mem_seq1 => /eqP->.
    - by move=> j t _; apply: two_never_backlogged.
    - by move=> j jh t _ _ BL _; apply: two_never_backlogged BL.
  Qed.
End TwoJobs.

Print Assumptions preemptive_satisfiable.
Print Assumptions preemptive_above_satisfiable.
Print Assumptions preemptive_rows_satisfiable.
Print Assumptions non_preemptive_satisfiable.
Print Assumptions floating_satisfiable.
Print Assumptions deadline_satisfiable.
Print Assumptions deadline_non_preemptive_satisfiable.
