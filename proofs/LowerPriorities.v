(* SPDX-License-Identifier: Apache-2.0 *)
(** Fixed priorities, preemptive: a bound holds whatever tasks of lower priority do.

    [preemptive_bound] is about a core that executes the tasks of [ts] alone. Here the core also executes jobs of any other
    tasks, if all of these have a lower priority than every task of [ts]. They may be released as often and take as long
    as they want, and wait for anything. *)
Require Export Amalthea.FixedPriority.
From mathcomp Require Import ssreflect ssrbool eqtype ssrnat seq path fintype bigop.
Require Export NArith.
#[local] Existing Instance ideal.processor_state.
#[local] Existing Instance fully_preemptive_job_model.

Section Restriction.
  Let Task := [eqType of concrete_task].
  Context {Job : JobType} {JT : JobTask Job Task} {JA : JobArrival Job} {JC : JobCost Job}.
  Variable tsn : seq Task.
  Definition counted (j : Job) : bool := job_task j \in tsn.

  Variable arr_seq : arrival_sequence Job.
  Variable sched : schedule (ideal.processor_state Job).
  (** The jobs of [tsn] alone, and the core idle when it executes others. *)
  Definition arr_of : arrival_sequence Job := fun t => [seq j <- arr_seq t | counted j].
  Definition sched_of : schedule (ideal.processor_state Job) :=
    fun t => if sched t is Some j then if counted j then Some j else None else None.

  Lemma scheduled_of j t : counted j -> scheduled_at sched_of j t = scheduled_at sched j t.
  Proof.
    move=> C; rewrite !scheduled_at_def /sched_of.
    case: (sched t) => [k|] //; case K: (counted k) => //.
    by apply/esym/eqP => -[E]; move: K; rewrite E C.
  Qed.

  Lemma scheduled_counted j t : scheduled_at sched_of j t -> counted j.
  Proof.
    rewrite scheduled_at_def /sched_of; case: (sched t) => [k|] //.
    by case K: (counted k) => // /eqP[<-].
  Qed.

  Lemma service_of j t : counted j -> service sched_of j t = service sched j t.
  Proof.
    move=> C; apply: eq_bigr => x _.
    by rewrite !service_at_is_scheduled_at scheduled_of.
  Qed.

  Lemma pending_of j t : counted j -> pending sched_of j t = pending sched j t.
  Proof. by move=> C; rewrite /pending /completed_by service_of. Qed.

  Lemma arrives_of j : arrives_in arr_of j -> arrives_in arr_seq j /\ counted j.
  Proof. by case=> t; rewrite /arrivals_at mem_filter => /andP[C IN]; split => //; exists t. Qed.

  Lemma of_arrives j : arrives_in arr_seq j -> counted j -> arrives_in arr_of j.
  Proof. by case=> t IN C; exists t; rewrite /arrivals_at mem_filter C. Qed.

  Lemma between_of t1 t2 : arrivals_between arr_of t1 t2 = [seq j <- arrivals_between arr_seq t1 t2 | counted j].
  Proof.
    rewrite /arrivals_between /arrivals_at; elim: t2 => [|t2 IH]; first by rewrite !big_geq.
    case: (leqP t1 t2) => [LE|GT]; last by rewrite !big_geq.
    by rewrite !big_nat_recr //= filter_cat IH.
  Qed.

  Lemma arrivals_of_task tsk t1 t2 : tsk \in tsn ->
    task_arrivals_between arr_of tsk t1 t2 = task_arrivals_between arr_seq tsk t1 t2.
  Proof.
    move=> IN; rewrite /task_arrivals_between between_of -filter_predI.
    apply: eq_filter => j /=; rewrite /job_of_task /counted.
    by case: eqP => [->|] //; rewrite IN.
  Qed.
End Restriction.

(** [NFPA] of the task [o] is below every task of [tsn]. *)
Definition below (tsn : seq [eqType of concrete_task]) (o : concrete_task) : Prop :=
  forall tsk, tsk \in tsn -> task.task_priority o < task.task_priority tsk.

Definition preemptive_above_bound (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  let tsn := map taskT_to_task ts in
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job)
         (ready : @JobReady Job (ideal.processor_state Job) JC JA)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    (forall j, arrives_in arr_seq j -> job_task j \in tsn \/ below tsn (job_task j)) ->
    (forall j, arrives_in arr_seq j -> job_task j \in tsn ->
       job_cost j <= task.task_cost (job_task j)) ->
    taskset_respects_max_arrivals arr_seq tsn ->
    @valid_schedule Job _ sched JC JA ready arr_seq ->
    (forall j t, job_task j \in tsn ->
       @job_ready _ _ JC JA ready sched j t = @job_ready _ _ JC JA (sequential_ready_instance arr_seq) sched j t) ->
    @work_conserving Job JA JC _ ready arr_seq sched ->
    @respects_FP_policy_at_preemption_point _ Job JT JA JC fully_preemptive_job_model
      ready arr_seq sched (NumericFPAscending _) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Theorem preemptive_above (ts : seq (@task_T N)) (i : nat) (R : N) :
  i < size ts -> preemptive_bound ts i R -> preemptive_above_bound ts i R.
Proof.
  move=> LT B tsn Job JT JA JC ready arr_seq sched [CONS UNIQ] SETS COSTS CURVES [FROM READY] SEQ WC POL.
  have IN : taskT_to_task (nth no_task ts i) \in tsn.
  { by rewrite /tsn -(nth_map no_task (taskT_to_task no_task)) // mem_nth // size_map. }
  pose arr := @arr_of Job JT tsn arr_seq; pose sch := @sched_of Job JT tsn sched.
  have FIRST : forall j t, counted tsn j ->
    @job_ready _ _ JC JA (sequential_ready_instance arr) sch j t = @job_ready _ _ JC JA ready sched j t.
  { move=> j t C; rewrite (SEQ j t C) /job_ready /= /sch pending_of //; congr andb.
    rewrite /prior_jobs_complete /task_arrivals_before /arr (arrivals_of_task _ _ _ _ _ C).
    apply: eq_in_all => k; rewrite mem_filter => /andP[/eqP K _].
    by rewrite /completed_by service_of // /counted K. }
  have BACK : forall j t, counted tsn j ->
    @backlogged _ _ JC JA (sequential_ready_instance arr) sch j t -> @backlogged _ _ JC JA ready sched j t.
  { by move=> j t C; rewrite /backlogged (FIRST j t C) /sch (scheduled_of _ _ _ _ C). }
  have HP : forall j k t, arrives_in arr_seq j -> counted tsn j -> @backlogged _ _ JC JA ready sched j t ->
    scheduled_at sched k t -> counted tsn k /\ task.task_priority (job_task j) <= task.task_priority (job_task k).
  { move=> j k t A C BL SC.
    have H : task.task_priority (job_task j) <= task.task_priority (job_task k).
    { apply: (POL j k t) => //; rewrite /preemption_time; by case: (sched t). }
    split => //; case: (SETS k (FROM k t SC)) => // LOW.
    by move: H; rewrite leqNgt (LOW _ C). }
  move=> j A T.
  have C : counted tsn j by rewrite /counted; move/eqP: T => ->.
  rewrite /job_response_time_bound /completed_by -(service_of tsn sched j _ C).
  apply: (B Job JT JA JC arr sch) => //.
  - split=> [k t|t]; rewrite /arrives_at /arrivals_at /arr /arr_of.
    + by rewrite mem_filter => /andP[_]; exact: CONS.
    + by rewrite filter_uniq //; exact: UNIQ.
  - by move=> k /arrives_of[_ K].
  - by move=> k /arrives_of[KA K]; apply: COSTS.
  - move=> tsk TI t1 t2 LE.
    by rewrite /number_of_task_arrivals /arr (arrivals_of_task _ _ _ _ _ TI); exact: CURVES.
  - split=> [k t SC|k t SC].
    + have K := scheduled_counted _ _ _ _ SC.
      by apply: of_arrives => //; apply: (FROM k t); rewrite -(scheduled_of tsn).
    + have K := scheduled_counted _ _ _ _ SC.
      by rewrite FIRST //; apply: READY; rewrite -(scheduled_of tsn).
  - move=> k t /arrives_of[KA K] BL.
    have [m SM] := WC k t KA (BACK k t K BL).
    have [M _] := HP k m t KA K (BACK k t K BL) SM.
    by exists m; rewrite /sch scheduled_of.
  - move=> k m t /arrives_of[KA K] _ BL SM.
    have M := scheduled_counted _ _ _ _ SM.
    by apply: (HP k m t KA K (BACK k t K BL) _).2; rewrite -(scheduled_of tsn).
  - by apply: of_arrives.
Qed.

(** [preemptive_above_sound]: what a certificate uses. *)
Theorem preemptive_above_sound (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  all (preemptive_ok ts) cs = true -> states cs k i R = true -> preemptive_above_bound ts i R.
Proof.
  move=> H S; apply: preemptive_above; last exact: preemptive_sound H S.
  move: S => /and3P[LT /eqP<- _].
  by move: (all_pick _ _ _ H LT) => /and5P[].
Qed.
