(* SPDX-License-Identifier: Apache-2.0 *)
(** Fixed priorities on one core, where jobs have sections that no task of the core can preempt.

    [floating_sound]: the sections may be anywhere; [segs] gives the longest one of each task. [points_sound]: every job
    can be preempted at the points [pps] of its task only. *)
Require Export Amalthea.FixedPriority.
From mathcomp Require Import ssreflect ssrbool eqtype ssrnat seq path fintype bigop.
Require Export NArith.

(** Blocking bound from per-task segment bounds [seg] (a function on tasks). *)
Definition blocking_T (seg : @task_T N -> N) (ts : seq (@task_T N)) (tsk : @task_T N) : N :=
  foldr maxn_T 0%C [seq (seg o - 1)%C | o <- ts & ~~ hep_task_T o tsk].

(** One point, with blocking [B] and [q] = last segment - 1. *)
Definition point_T (ts : seq (@task_T N)) (tsk : @task_T N) (B q R : N) (P : N * N) : bool :=
  N.leb (B + (task_rbf_T tsk (P.1 + 1) - q) + total_ohep_rbf_T ts tsk (P.1 + P.2))%C (P.1 + P.2)%C
  && N.leb (P.2 + q)%C R.

Definition seg_ok (seg last : @task_T N -> N) (ts : seq (@task_T N)) (c : claim) : bool :=
  let tsk := nth no_task ts (c_task c) in
  let pts := points tsk (c_L c) in
  let B := blocking_T seg ts tsk in
  [&& c_task c < size ts, set_ok ts, N.ltb 0 (task_cost_T tsk), N.ltb 0 (c_L c),
      N.eqb (c_L c) (B + total_hep_rbf_T ts tsk (c_L c))%C,
      size pts == size (c_F c)
    & all (point_T ts tsk B (last tsk - 1)%C (c_R c)) (zip pts (c_F c)) ].

Lemma leN a b : N.leb a b = (nat_of_bin a <= nat_of_bin b).
Proof. by have := Rnat_leE a b; rewrite /leq_op /leq_N => ->. Qed.

Lemma subN a b : nat_of_bin (a - b)%C = nat_of_bin a - nat_of_bin b.
Proof.
  have H : refines Rnat (nat_of_bin a - nat_of_bin b) (a - b)%C by tc.
  by rewrite (Rnat_eq _ _ H).
Qed.

Lemma addN a b : nat_of_bin (a + b)%C = nat_of_bin a + nat_of_bin b.
Proof. exact: nat_of_add_bin. Qed.

Lemma Rts ts : list_R Rtask (map taskT_to_task ts) ts.
Proof. by elim: ts => [|t l IH] /=; [apply: list_R_nil_R | apply: list_R_cons_R]. Qed.

Lemma rbfN t a : task_rbf (taskT_to_task t) (nat_of_bin a) = nat_of_bin (task_rbf_T t a).
Proof.
  have H := refine_task_rbf; rewrite refinesE in H.
  by symmetry; apply: (H _ t (erefl _) _ a (erefl _)).
Qed.

Lemma ohepN ts t a :
  total_ohep_rbf (map taskT_to_task ts) (taskT_to_task t) (nat_of_bin a) = nat_of_bin (total_ohep_rbf_T ts t a).
Proof.
  have H := refine_total_ohep_rbf; rewrite refinesE in H.
  by symmetry; apply: (H _ ts (Rts ts) _ t (erefl _) _ a (erefl _)).
Qed.

Lemma hepN ts t a :
  total_hep_rbf (map taskT_to_task ts) (taskT_to_task t) (nat_of_bin a) = nat_of_bin (total_hep_rbf_T ts t a).
Proof.
  have H := refine_total_hep_rbf; rewrite refinesE in H.
  by symmetry; apply: (H _ ts (Rts ts) _ t (erefl _) _ a (erefl _)).
Qed.

Lemma blockingN (seg : @task_T N -> N) (segn : Task -> nat) ts t :
  (forall x, segn (taskT_to_task x) = nat_of_bin (seg x)) ->
  \max_(o <- map taskT_to_task ts | ~~ @hep_task _ (NumericFPAscending Task) o (taskT_to_task t)) (segn o - ε)
  = nat_of_bin (blocking_T seg ts t).
Proof.
  move=> SEG; apply: Rnat_eq; apply: (refine_foldr_max _ _ _ _ _ _ Rtask).
  - by rewrite refinesE; apply: Rts.
  - rewrite refinesE => x x' <-; rewrite /Rnat /fun_hrel subN -SEG.
    by congr subn.
  - rewrite refinesE => x x' Rx.
    have H := refine_hep_task; rewrite refinesE in H.
    have E := bool_R_eq' _ _ (H _ _ Rx (taskT_to_task t) t (erefl _)).
    by rewrite E; case: (hep_task_T x' t).
Qed.

Section Points.
  Variables (ts : seq (@task_T N)) (tsk : @task_T N) (B q R : N).
  Lemma pointN a f : point_T ts tsk B q R (a, f) ->
    nat_of_bin B + (task_rbf (taskT_to_task tsk) (nat_of_bin a + ε) - nat_of_bin q)
      + total_ohep_rbf (map taskT_to_task ts) (taskT_to_task tsk) (nat_of_bin a + nat_of_bin f)
      <= nat_of_bin a + nat_of_bin f /\ nat_of_bin f + nat_of_bin q <= nat_of_bin R.
  Proof.
    rewrite /point_T /= !leN !addN subN => /andP[H1 H2]; split => //.
    have E1 : nat_of_bin a + ε = nat_of_bin (a + 1)%C by rewrite addN.
    have E2 : nat_of_bin a + nat_of_bin f = nat_of_bin (a + f)%C by rewrite addN.
    by rewrite E1 E2 rbfN ohepN -E2.
  Qed.
End Points.

#[local] Existing Instance ideal.processor_state.

(** ** Floating non-preemptive regions: [segs] gives, by task id, the longest
    non-preemptive region (1 = none). *)
Definition seg_of (segs : seq N) (t : @task_T N) : N := nth 0%N segs (nat_of_bin (task_id_T t)).
Definition task_seg (segs : seq N) : TaskMaxNonpreemptiveSegment [eqType of concrete_task] :=
  fun t => nat_of_bin (nth 0%N segs (task.task_id t)).
Definition one_seg (t : @task_T N) : N := 1%N.
Definition floating_ok (segs : seq N) := seg_ok (seg_of segs) one_seg.

Definition floating_bound (segs : seq N) (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job) (JP : JobPreemptionPoints Job)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    @valid_model_with_floating_nonpreemptive_regions _ (task_seg segs) Job JT JC JP arr_seq ->
    all_jobs_from_taskset arr_seq (map taskT_to_task ts) ->
    arrivals_have_valid_job_costs arr_seq ->
    taskset_respects_max_arrivals arr_seq (map taskT_to_task ts) ->
    @valid_schedule Job _ sched JC JA (sequential_ready_instance arr_seq) arr_seq ->
    @schedule_respects_preemption_model Job _ (@limited_preemptive_job_model Job JP) arr_seq sched ->
    @work_conserving Job JA JC _ (sequential_ready_instance arr_seq) arr_seq sched ->
    @respects_FP_policy_at_preemption_point _ Job JT JA JC (@limited_preemptive_job_model Job JP)
      (sequential_ready_instance arr_seq) arr_seq sched (NumericFPAscending _) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Theorem floating_sound (segs : seq N) (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  all (floating_ok segs ts) cs = true -> states cs k i R = true -> floating_bound segs ts i R.
Proof.
  move=> H /and3P[LTk /eqP<- /N.eqb_spec<-].
  move: (all_pick _ _ _ H LTk); set c := nth no_claim cs k.
  move=> /and5P[LT OK CP LP /and3P[/N.eqb_spec FIX /eqP SZ ALL]].
  move=> Job JT JA JC JP arr_seq sched V M A C AC VS RP WC POL.
  have BL := blockingN (seg_of segs) (task_seg segs) ts (nth no_task ts (c_task c)).
  have {}BL := BL (fun x => ltac:(by case: x)).
  apply: (uniprocessor_response_time_bound_fp_with_floating_nonpreemptive_regions
            arr_seq V M (map taskT_to_task ts) A C _ AC _ _ sched VS RP _ _ WC POL (nat_of_bin (c_L c))).
  - exact: set_ok_curve.
  - exact: nth_in.
  - exact: NFPA_is_reflexive.
  - exact: NFPA_is_transitive.
  - by rewrite ltN in LP.
  - rewrite /task_max_nonpreemptive_segment BL -[total_hep_request_bound_function_FP _ _ _]/(total_hep_rbf _ _ _).
    by rewrite hepN {1}FIX addN.
  - move=> x SS.
    have PI := in_points ts OK _ LT (c_L c) x (cost_pos ts _ CP) SS.
    have [a [f [-> CK]]] := zip_exists _ _ _ _ SZ ALL PI.
    exists (nat_of_bin f).
    have [X1 X2] := pointN _ _ _ _ _ _ _ CK.
    move: X1 X2; rewrite /one_seg /= subn0 addn0 => X1 X2; split => //.
    by rewrite /task_max_nonpreemptive_segment BL.
Qed.

(** ** Fixed preemption points: [pps] gives, by task id, the preemption points. *)
Fixpoint dist_T (l : seq N) : seq N :=
  match l with
  | a :: ((b :: _) as l') => (b - a)%C :: dist_T l'
  | _ => [::]
  end.
Lemma distN l : distances (map nat_of_bin l) = map nat_of_bin (dist_T l).
Proof.
  elim: l => [|a [|b l] IH] //.
  have -> : map nat_of_bin (dist_T [:: a, b & l])
            = nat_of_bin (b - a)%C :: map nat_of_bin (dist_T (b :: l)) by [].
  have -> : map nat_of_bin [:: a, b & l] = [:: nat_of_bin a, nat_of_bin b & map nat_of_bin l] by [].
  by rewrite distances_unfold_2cons subN; congr cons; exact: IH.
Qed.
Lemma max0N l : max0 (map nat_of_bin l) = nat_of_bin (foldr maxn_T 0%C l).
Proof.
  elim: l => //= a l IH; rewrite max0_cons IH.
  have H : refines Rnat (maxn (nat_of_bin a) (nat_of_bin (foldr maxn_T 0%C l))) (maxn_T a (foldr maxn_T 0%C l)).
  { by refines_apply; rewrite refinesE. }
  by rewrite (Rnat_eq _ _ H).
Qed.
Lemma last0N l : last0 (map nat_of_bin l) = nat_of_bin (last 0%N l).
Proof. by rewrite /last0 -[X in last X _]/(nat_of_bin 0%N) last_map. Qed.

Definition pts_of (pps : seq (seq N)) (t : @task_T N) : seq N := nth [::] pps (nat_of_bin (task_id_T t)).
Definition task_pts (pps : seq (seq N)) : TaskPreemptionPoints [eqType of concrete_task] :=
  fun t => map nat_of_bin (nth [::] pps (task.task_id t)).
Definition max_seg (pps : seq (seq N)) (t : @task_T N) : N := foldr maxn_T 0%C (dist_T (pts_of pps t)).
Definition last_seg (pps : seq (seq N)) (t : @task_T N) : N := last 0%N (dist_T (pts_of pps t)).
Definition points_ok (pps : seq (seq N)) := seg_ok (max_seg pps) (last_seg pps).

Definition points_bound (pps : seq (seq N)) (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job) (JP : JobPreemptionPoints Job)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    all_jobs_from_taskset arr_seq (map taskT_to_task ts) ->
    arrivals_have_valid_job_costs arr_seq ->
    @valid_fixed_preemption_points_model _ _ (task_pts pps) Job JT JC JP arr_seq (map taskT_to_task ts) ->
    taskset_respects_max_arrivals arr_seq (map taskT_to_task ts) ->
    @valid_schedule Job _ sched JC JA (sequential_ready_instance arr_seq) arr_seq ->
    @schedule_respects_preemption_model Job _ (@limited_preemptive_job_model Job JP) arr_seq sched ->
    @work_conserving Job JA JC _ (sequential_ready_instance arr_seq) arr_seq sched ->
    @respects_FP_policy_at_preemption_point _ Job JT JA JC (@limited_preemptive_job_model Job JP)
      (sequential_ready_instance arr_seq) arr_seq sched (NumericFPAscending _) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Theorem points_sound (pps : seq (seq N)) (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  all (points_ok pps ts) cs = true -> states cs k i R = true -> points_bound pps ts i R.
Proof.
  move=> H /and3P[LTk /eqP<- /N.eqb_spec<-].
  move: (all_pick _ _ _ H LTk); set c := nth no_claim cs k.
  move=> /and5P[LT OK CP LP /and3P[/N.eqb_spec FIX /eqP SZ ALL]].
  move=> Job JT JA JC JP arr_seq sched V A C M AC VS RP WC POL.
  pose mx : Task -> nat := @task_max_nonpr_segment _ (task_pts pps).
  have MX x : mx (taskT_to_task x) = nat_of_bin (max_seg pps x).
  { by case: x => *; rewrite /mx /task_max_nonpr_segment /task_preemption_points /task_pts /= distN max0N. }
  have LS x : @task_last_nonpr_segment _ (task_pts pps) (taskT_to_task x) = nat_of_bin (last_seg pps x).
  { by case: x => *; rewrite /task_last_nonpr_segment /task_preemption_points /task_pts /= distN last0N. }
  have BL := blockingN (max_seg pps) mx ts (nth no_task ts (c_task c)) MX.
  apply: (uniprocessor_response_time_bound_fp_with_fixed_preemption_points
            arr_seq V (map taskT_to_task ts) A C M _ AC _ _ sched VS RP _ _ WC POL (nat_of_bin (c_L c))).
  - exact: set_ok_curve.
  - exact: nth_in.
  - exact: NFPA_is_reflexive.
  - exact: NFPA_is_transitive.
  - by rewrite ltN in LP.
  - by rewrite -[total_hep_request_bound_function_FP _ _ _]/(total_hep_rbf _ _ _) hepN [X in X + _]BL {1}FIX addN.
  - move=> x SS.
    have PI := in_points ts OK _ LT (c_L c) x (cost_pos ts _ CP) SS.
    have [a [f [-> CK]]] := zip_exists _ _ _ _ SZ ALL PI.
    exists (nat_of_bin f).
    have [X1 X2] := pointN _ _ _ _ _ _ _ CK.
    rewrite LS; move: X1 X2; rewrite subN => X1 X2; split => //.
    by rewrite [X in X + _ + _]BL.
Qed.
