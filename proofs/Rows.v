(* SPDX-License-Identifier: Apache-2.0 *)
(** Fixed priorities, preemptive, where tasks trigger others of lower priority on the same core: a row.

    A triggered task arrives at most as often as the task that triggers it, its source, with R - B as jitter. R bounds
    the response of the source, and B is the least time from its arrival to the trigger. [number_of_triggered] shows it.
    The source has a higher priority, so R does not depend on the triggered task ([preemptive_above_sound]). So a
    certificate does not assume the curve of a triggered task: [rows_ok] compares it with the curve of the source.
    [preemptive_rows_sound] shows that this is enough. *)
Require Export Amalthea.LowerPriorities.
From mathcomp Require Import ssreflect ssrbool eqtype ssrnat seq path fintype bigop div.
Require Export NArith.
#[local] Existing Instance ideal.processor_state.
#[local] Existing Instance fully_preemptive_job_model.

(** * Curves *)
(** A curve [b] that is at least [a], shifted by [w], at the last length of each of its steps is so at every length. *)
Section Cover.
  Variables a b : ArrivalCurvePrefix.
  Variable w : nat.
  Let curve := extrapolated_arrival_curve.
  Hypothesis PA : positive_horizon a.
  Hypothesis PB : positive_horizon b.
  Hypothesis ZA : value_at a 0 = 0.
  Hypothesis ZB : value_at b 0 = 0.
  Hypothesis MA : monotone leq (curve a).
  Hypothesis DIV : horizon_of a %| horizon_of b.

  (** The last length of each step of [b]. *)
  Definition last_lengths : seq nat := horizon_of b :: map predn (time_steps_of b).
  Hypothesis COVER : forall p, p \in last_lengths -> 0 < p -> curve a (p + w) <= curve b p.

  Lemma repeats c n x : 0 < horizon_of c -> value_at c 0 = 0 ->
    curve c (n * horizon_of c + x) = n * curve c (horizon_of c) + curve c x.
  Proof.
    move=> P Z; rewrite /curve /extrapolated_arrival_curve divnMDl // modnMDl divnn P modnn Z mul1n addn0.
    by rewrite mulnDl addnA.
  Qed.

  Lemma repeats_of k x : curve a (k * horizon_of b + x) = k * curve a (horizon_of b) + curve a x.
  Proof.
    move: DIV => /dvdnP[m E]; rewrite E mulnA repeats // -(addn0 (m * _)) repeats //.
    by rewrite mulnDr mulnA {4}/curve /extrapolated_arrival_curve div0n mod0n ZA mul0n add0n muln0 addn0.
  Qed.

  Lemma within x : 0 < x -> x <= horizon_of b -> curve b x = value_at b x.
  Proof.
    move=> P; rewrite leq_eqVlt => /orP[/eqP->|LT]; rewrite /curve /extrapolated_arrival_curve.
    - by rewrite divnn modnn ZB addn0 (PB : 0 < horizon_of b) mul1n.
    - by rewrite divn_small // modn_small.
  Qed.

  Lemma covers_within r : 0 < r -> r <= horizon_of b -> curve a (r + w) <= curve b r.
  Proof.
    move=> P LE.
    have EX : exists p, (p \in last_lengths) && (r <= p).
    { by exists (horizon_of b); rewrite mem_head. }
    case: (ex_minnP EX) => p /andP[IN RP] MIN.
    have PH : p <= horizon_of b by apply: MIN; rewrite mem_head.
    have PP : 0 < p := leq_trans P RP.
    have E : curve b r = curve b p.
    { rewrite !within // /value_at /step_at; congr (snd (last _ _)).
      apply: eq_in_filter => s S; apply/idP/idP => [H|H]; first exact: leq_trans RP.
      rewrite leqNgt; apply/negP => GT.
      have Q : p <= s.1.-1.
      { apply: MIN; rewrite -ltnS (ltn_predK GT) GT andbT in_cons; apply/orP; right.
        by apply: map_f; apply: map_f. }
      have X : s.1.-1 < s.1 by rewrite (ltn_predK GT).
      by move: (leq_ltn_trans Q X); rewrite ltnNge H. }
    rewrite E; apply: leq_trans (COVER p IN PP).
    by apply: MA; rewrite leq_add2r.
  Qed.

  Lemma covers_all x : 0 < x -> curve a (x + w) <= curve b x.
  Proof.
    have STEP : forall k r, 0 < r -> r <= horizon_of b ->
      curve a (k * horizon_of b + r + w) <= curve b (k * horizon_of b + r).
    { move=> k r P LE; rewrite -addnA repeats_of repeats //; apply: leq_add; last exact: covers_within.
      rewrite leq_mul2l; apply/orP; right.
      by apply: leq_trans (covers_within _ PB (leqnn _)); apply: MA; rewrite leq_addr. }
    move=> P; rewrite (divn_eq x (horizon_of b)).
    case: (posnP (x %% horizon_of b)) => [Z|R]; last by apply: STEP => //; exact/ltnW/ltn_pmod.
    rewrite Z addn0; case K: (x %/ horizon_of b) => [|k].
    - by move: P; rewrite (divn_eq x (horizon_of b)) K Z.
    - by rewrite mulSnr; apply: STEP.
  Qed.
End Cover.

(** * Triggers *)
Section Trigger.
  Let Task := [eqType of concrete_task].
  Context {Job : JobType} {JT : JobTask Job Task} {JA : JobArrival Job} {JC : JobCost Job}.

  (** Each job of [target] is caused by another job of [source]: at least [least] after the arrival of that job, and not
      after its completion. *)
  Definition triggered (least : nat) (source target : concrete_task)
      (arr_source : arrival_sequence Job) (sched_source : schedule (ideal.processor_state Job))
      (arr_target : arrival_sequence Job) : Prop :=
    exists cause : Job -> Job,
      (forall j, arrives_in arr_target j -> job_task j = target ->
         [/\ arrives_in arr_source (cause j), job_task (cause j) = source,
             job_arrival (cause j) + least <= job_arrival j
           & forall t, t < job_arrival j -> ~~ completed_by sched_source (cause j) t]) /\
      (forall j k, arrives_in arr_target j -> arrives_in arr_target k -> job_task j = target -> job_task k = target ->
         cause j = cause k -> j = k).

  Variables (least : nat) (source target : concrete_task).
  Variables (arr_source arr_target : arrival_sequence Job) (sched_source : schedule (ideal.processor_state Job)).
  Hypothesis VS : valid_arrival_sequence arr_source.
  Hypothesis VT : valid_arrival_sequence arr_target.
  Hypothesis CAUSED : triggered least source target arr_source sched_source arr_target.
  Variable R : nat.
  Hypothesis BOUND : task_response_time_bound arr_source sched_source source R.
  Variable curve : nat -> nat.
  Hypothesis CURVE : respects_max_arrivals arr_source source curve.
  Hypothesis MONO : monotone leq curve.

  Lemma number_of_triggered t1 t2 : t1 < t2 ->
    number_of_task_arrivals arr_target target t1 t2 <= curve (t2 - t1 + (R - least)).
  Proof.
    move=> LT; case: CAUSED => cause [OF ONE].
    have MEM : forall j, j \in task_arrivals_between arr_target target t1 t2 ->
      [/\ arrives_in arr_target j, job_task j = target & t1 <= job_arrival j < t2].
    { move=> j; rewrite mem_filter => /andP[/eqP T IN]; split => //.
      - exact: in_arrivals_implies_arrived IN.
      - by apply: job_arrival_between IN; case: VT. }
    have AT : forall j, j \in task_arrivals_between arr_target target t1 t2 ->
      t1 - R <= job_arrival (cause j) < t2 - least /\ least <= R.
    { move=> j /MEM[A T /andP[L U]]; have [CA CT AFTER BEFORE] := OF j A T.
      have LE : job_arrival j <= job_arrival (cause j) + R.
      { rewrite leqNgt; apply/negP => GT; move: (BEFORE _ GT).
        have DONE : completed_by sched_source (cause j) (job_arrival (cause j) + R).
        { by apply: BOUND => //; rewrite /job_of_task CT. }
        by rewrite DONE. }
      split; last by move: (leq_trans AFTER LE); rewrite leq_add2l.
      apply/andP; split.
      - by rewrite leq_subLR addnC; apply: leq_trans LE.
      - by rewrite ltn_subRL addnC; apply: leq_ltn_trans U. }
    rewrite /number_of_task_arrivals -(size_map cause).
    have UT : uniq (task_arrivals_between arr_target target t1 t2).
    { by apply: filter_uniq; apply: arrivals_uniq; case: VT. }
    case E : (task_arrivals_between arr_target target t1 t2) => [|j0 js] //; rewrite -E.
    have [/andP[L0 U0] LR] : t1 - R <= job_arrival (cause j0) < t2 - least /\ least <= R.
    { by apply: AT; rewrite E mem_head. }
    have SUB : {subset map cause (task_arrivals_between arr_target target t1 t2)
                  <= task_arrivals_between arr_source source (t1 - R) (t2 - least)}.
    { move=> k /mapP[j IN ->]; have [A T _] := MEM j IN; have [CA CT _ _] := OF j A T; have [W _] := AT j IN.
      rewrite mem_filter /job_of_task CT eq_refl /=.
      by apply: arrived_between_implies_in_arrivals => //; case: VS. }
    have UM : uniq (map cause (task_arrivals_between arr_target target t1 t2)).
    { rewrite map_inj_in_uniq // => j k /MEM[A T _] /MEM[B S _]; exact: ONE. }
    apply: leq_trans (uniq_leq_size UM SUB) _.
    apply: leq_trans (CURVE (t1 - R) (t2 - least) (ltnW (leq_ltn_trans L0 U0))) _.
    apply: MONO; lia.
  Qed.
End Trigger.

(** * What a certificate states and checks *)

(** The task with index [r_task] is triggered by the one with index [r_source], whose claim has the index [r_claim]. *)
Record row := Row { r_task : nat; r_source : nat; r_least : N; r_claim : nat }.
Definition no_row : row := {| r_task := 0; r_source := 0; r_least := 0%N; r_claim := 0 |}.

(** The tasks of at least the priority [p], and a claim about one of them. *)
Definition is_above (p : N) (tsk : @task_T N) : bool := N.leb p (task_priority_T tsk).
Definition above (ts : seq (@task_T N)) (p : N) : seq (@task_T N) := filter (is_above p) ts.
Definition claim_above (ts : seq (@task_T N)) (p : N) (c : claim) : claim :=
  {| c_task := count (is_above p) (take (c_task c) ts); c_L := c_L c; c_R := c_R c; c_F := c_F c |}.

(** The curve of [target] is that of [source] with the jitter [w], or larger. *)
Definition covers (source target : @task_T N) (w : N) : bool :=
  let a := (get_extrapolated_arrival_curve_T source).1 in
  let b := get_extrapolated_arrival_curve_T target in
  N.eqb b.1 (N.mul (N.div b.1 a) a) &&
  all (fun p => N.eqb p 0 || N.leb (ConcreteMaxArrivals_T source (N.add p w)) (ConcreteMaxArrivals_T target p))
      (b.1 :: map (fun s => N.pred s.1) b.2).

(** [open]: the tasks whose curves are not known yet. All have a lower priority than the source. *)
Definition row_ok (ts : seq (@task_T N)) (cs : seq claim) (open : seq nat) (r : row) : bool :=
  let p := task_priority_T (nth no_task ts (r_source r)) in
  let c := nth no_claim cs (r_claim r) in
  if [&& r_task r < size ts, r_source r < size ts, c_task c == r_source r
       & all (fun k => N.ltb (task_priority_T (nth no_task ts k)) p) open]
  then preemptive_ok (above ts p) (claim_above ts p c) &&
       covers (nth no_task ts (r_source r)) (nth no_task ts (r_task r)) (N.sub (c_R c) (r_least r))
  else false.

Fixpoint each_row_ok (ts : seq (@task_T N)) (cs : seq claim) (rows : seq row) : bool :=
  if rows is r :: rest then row_ok ts cs (map r_task rows) r && each_row_ok ts cs rest else true.

Definition rows_ok (rows : seq row) (ts : seq (@task_T N)) (cs : seq claim) : bool :=
  each_row_ok ts cs rows && all (preemptive_ok ts) cs.

Lemma leN a b : N.leb a b = (nat_of_bin a <= nat_of_bin b).
Proof. by rewrite N.leb_antisym ltN -leqNgt. Qed.

Lemma predN a : nat_of_bin (N.pred a) = (nat_of_bin a).-1.
Proof.
  case: a => [|p] //; have E : N.pos p = N.add (N.pred (N.pos p)) 1 by rewrite N.add_1_r N.succ_pred.
  by rewrite {2}E nat_of_add_bin addn1.
Qed.

Lemma subN a b : nat_of_bin (N.sub a b) = nat_of_bin a - nat_of_bin b.
Proof.
  case LE: (N.leb b a); move: (LE); rewrite leN => H.
  - have E : a = N.add (N.sub a b) b by rewrite N.sub_add //; apply/N.leb_le.
    by rewrite {2}E nat_of_add_bin addnK.
  - have Z : N.sub a b = 0%N by apply/N.sub_0_le; move/N.leb_gt: LE; exact: N.lt_le_incl.
    by rewrite Z; apply/esym/eqP; rewrite subn_eq0; apply: ltnW; rewrite ltnNge H.
Qed.

Lemma curve_of (tsk : @task_T N) :
  get_arrival_curve_prefix (taskT_to_task tsk) =
  (nat_of_bin (get_extrapolated_arrival_curve_T tsk).1,
   [seq (nat_of_bin s.1, nat_of_bin s.2) | s <- (get_extrapolated_arrival_curve_T tsk).2]).
Proof. by case: tsk => [? ? [p|p|[h st]] ? ?]. Qed.

Lemma curveN (tsk : @task_T N) x :
  concrete_max_arrivals (taskT_to_task tsk) (nat_of_bin x) = nat_of_bin (ConcreteMaxArrivals_T tsk x).
Proof.
  have RC := refine_ConcreteMaxArrivals' tsk; rewrite refinesE in RC.
  by apply/esym; apply: RC.
Qed.

Section Covers.
  Variables source target : @task_T N.
  Variable w : N.
  Hypothesis VS : valid_arrivals (taskT_to_task source).
  Hypothesis VT : valid_arrivals (taskT_to_task target).
  Hypothesis OK : covers source target w.

  Lemma valid_prefix tsk : valid_arrivals (taskT_to_task tsk) ->
    valid_arrival_curve_prefix (get_arrival_curve_prefix (taskT_to_task tsk)).
  Proof.
    move=> V.
    have H : task_set_with_valid_arrivals [:: taskT_to_task tsk] by move=> t; rewrite mem_seq1 => /eqP->.
    have [ac [E P]] := has_valid_arrival_curve_prefix_tsk _ H (taskT_to_task tsk) (mem_head _ _).
    by rewrite E.
  Qed.

  Lemma covers_sound x : 0 < x ->
    concrete_max_arrivals (taskT_to_task source) (x + nat_of_bin w) <= concrete_max_arrivals (taskT_to_task target) x.
  Proof.
    move=> P.
    have [PA [LA [ZA [BA SA]]]] := valid_prefix _ VS.
    have [PB [LB [ZB [BB SB]]]] := valid_prefix _ VT.
    move: OK => /andP[/N.eqb_spec E /allP H].
    apply: (covers_all (get_arrival_curve_prefix (taskT_to_task source)) _ _ PA PB) => //.
    - exact/eqP.
    - exact/eqP.
    - move=> t1 t2 LE; apply: extrapolated_arrival_curve_is_monotone => //.
      exact: sorted_ltn_steps_imply_sorted_leq_steps_steps.
    - by rewrite !curve_of /horizon_of /= E nat_of_mul_bin; exact: dvdn_mull.
    - move=> p IN PP.
      have [q Q E2] : exists2 q, q \in (get_extrapolated_arrival_curve_T target).1 ::
                           map (fun s => N.pred s.1) (get_extrapolated_arrival_curve_T target).2 & p = nat_of_bin q.
      { move: IN; rewrite curve_of /last_lengths /horizon_of /time_steps_of /steps_of /= in_cons => /orP[/eqP->|].
        - by eexists; first exact: mem_head.
        - rewrite -!map_comp => /mapP[s S ->] /=; exists (N.pred s.1); last by rewrite predN.
          by rewrite in_cons; apply/orP; right; apply: map_f S. }
      move: (H q Q) => /orP[/N.eqb_spec Z|]; first by move: PP; rewrite E2 Z.
      by rewrite leN -!curveN nat_of_add_bin E2.
  Qed.
End Covers.

(** * Soundness *)
Lemma nth_filter_count T (d : T) (P : pred T) s i :
  i < size s -> P (nth d s i) -> nth d (filter P s) (count P (take i s)) = nth d s i.
Proof.
  elim: s i => [|x s IH] [|i] //= LT H; first by rewrite H.
  by case: (P x) => /=; rewrite ?add0n ?add1n /=; exact: IH.
Qed.

Lemma in_above T (U : eqType) (d : T) (P : pred T) (f : T -> U) s u :
  u \in map f (filter P s) -> exists m, [/\ m < size s, P (nth d s m) & u = f (nth d s m)].
Proof.
  elim: s => [|x s IH] //=; case E: (P x) => /=; last by move=> /IH[m H]; exists m.+1.
  by rewrite in_cons => /orP[/eqP->|/IH[m H]]; [exists 0; rewrite E | exists m.+1].
Qed.

Lemma above_in T (U : eqType) (d : T) (P : pred T) (f : T -> U) s m :
  m < size s -> P (nth d s m) -> f (nth d s m) \in map f (filter P s).
Proof.
  elim: s m => [|x s IH] [|m] //= LT H; first by rewrite H /= mem_head.
  by case: (P x); rewrite /= ?in_cons IH ?orbT.
Qed.

Section Core.
  Variable ts : seq (@task_T N).
  Let task_at k := taskT_to_task (nth no_task ts k).
  Let tsn := map taskT_to_task ts.

  Lemma at_in k : k < size ts -> task_at k \in tsn.
  Proof. by move=> LT; rewrite /task_at -(nth_map no_task (taskT_to_task no_task)) // mem_nth // size_map. Qed.

  Lemma in_at tsk : tsk \in tsn -> exists2 k, k < size ts & tsk = task_at k.
  Proof.
    move=> IN; exists (index tsk tsn); first by rewrite -(size_map taskT_to_task) index_mem.
    by rewrite /task_at -(nth_map no_task (taskT_to_task no_task)) ?nth_index // -(size_map taskT_to_task) index_mem.
  Qed.

  Context {Job : JobType} {JT : JobTask Job [eqType of concrete_task]} {JA : JobArrival Job} {JC : JobCost Job}.
  Variables (ready : @JobReady Job (ideal.processor_state Job) JC JA)
            (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)).
  Hypothesis ARR : valid_arrival_sequence arr_seq.
  Hypothesis SETS : forall j, arrives_in arr_seq j -> job_task j \in tsn \/ below tsn (job_task j).
  Hypothesis COSTS : forall j, arrives_in arr_seq j -> job_task j \in tsn -> job_cost j <= task.task_cost (job_task j).
  Hypothesis VALID : @valid_schedule Job _ sched JC JA ready arr_seq.
  Hypothesis SEQ : forall j t, job_task j \in tsn ->
    @job_ready _ _ JC JA ready sched j t = @job_ready _ _ JC JA (sequential_ready_instance arr_seq) sched j t.
  Hypothesis WC : @work_conserving Job JA JC _ ready arr_seq sched.
  Hypothesis POL : @respects_FP_policy_at_preemption_point _ Job JT JA JC fully_preemptive_job_model
    ready arr_seq sched (NumericFPAscending _).

  Let respects k := respects_max_arrivals arr_seq (task_at k) (max_arrivals (task_at k)).

  (** A task has its bound if those of at least its priority respect their curves. *)
  Lemma source_bound p k c :
    k < size ts -> p = task_priority_T (nth no_task ts k) ->
    (forall m, m < size ts -> is_above p (nth no_task ts m) -> respects m) ->
    preemptive_ok (above ts p) (claim_above ts p c) -> c_task c = k ->
    task_response_time_bound arr_seq sched (task_at k) (nat_of_bin (c_R c)).
  Proof.
    move=> LT E KNOWN OK CT; set c' := claim_above ts p c.
    have AB : is_above p (nth no_task ts k) by rewrite /is_above E leN.
    have SUB := fun tsk => @in_above _ _ no_task (is_above p) taskT_to_task ts tsk.
    have UP := @above_in _ _ no_task (is_above p) taskT_to_task ts.
    have IND : nth no_task (above ts p) (c_task c') = nth no_task ts k.
    { by rewrite /c' /= CT; apply: nth_filter_count. }
    rewrite /task_at -IND.
    have ST : states [:: c'] 0 (c_task c') (c_R c) = true by rewrite /states /= eq_refl N.eqb_refl.
    have ALL : all (preemptive_ok (above ts p)) [:: c'] = true by rewrite /= OK.
    apply: (preemptive_above_sound (above ts p) [:: c'] 0 (c_task c') (c_R c) ALL ST Job JT JA JC ready) => //.
    - move=> j A; case: (SETS j A) => [/in_at[m M E3]|LOW].
      + case AM : (is_above p (nth no_task ts m)); first by left; rewrite E3; apply: UP.
        right=> tsk /SUB[n [N1 N2 ->]]; rewrite E3.
        move: AM N2; rewrite /is_above !leN => /negbT; rewrite -ltnNge => X Y.
        by move: (leq_trans X Y); rewrite /task_at; case: (nth no_task ts m) => ????? ; case: (nth no_task ts n).
      + by right=> tsk /SUB[n [N1 N2 ->]]; apply: LOW; apply: at_in.
    - by move=> j A /SUB[n [N1 N2 E4]]; apply: COSTS => //; rewrite E4; apply: at_in.
    - by move=> tsk /SUB[n [N1 N2 ->]]; apply: KNOWN.
    - by move=> j t /SUB[n [N1 N2 E4]]; apply: SEQ; rewrite E4; apply: at_in.
  Qed.

  Definition caused (r : row) : Prop :=
    triggered (nat_of_bin (r_least r)) (task_at (r_source r)) (task_at (r_task r)) arr_seq sched arr_seq.

  (** So all tasks respect their curves, one row after the other. *)
  Lemma rows_respect cs rows : set_ok ts -> each_row_ok ts cs rows ->
    (forall n, n < size rows -> caused (nth no_row rows n)) ->
    (forall k, k < size ts -> k \notin map r_task rows -> respects k) ->
    forall k, k < size ts -> respects k.
  Proof.
    move=> OK; elim: rows => [|r rows IH] /=; first by move=> _ _ H k LT; apply: H.
    move=> /andP[ROW ROWS] CAUSED KNOWN; apply: IH => // [n LT|k LT NOT]; first exact: (CAUSED n.+1).
    case E : (k == r_task r); last by apply: KNOWN; rewrite // in_cons E.
    move/eqP: E => ->; move: (CAUSED 0 isT) => /= C.
    move: ROW; rewrite /row_ok; case: ifP => // /and4P[TL SL /eqP CT /allP OPEN] /andP[CL COV].
    set p := task_priority_T (nth no_task ts (r_source r)).
    have ABOVE : forall m, m < size ts -> is_above p (nth no_task ts m) -> respects m.
    { move=> m M A; apply: KNOWN => //; apply/negP => IN; move: (OPEN m IN).
      by move: A; rewrite /is_above leN ltN ltnNge => ->. }
    have B := source_bound _ _ _ SL erefl ABOVE CL CT.
    have V := set_ok_valid ts OK.
    have [Z MONO] := set_ok_curve ts OK _ (at_in _ SL).
    move=> t1 t2; rewrite leq_eqVlt => /orP[/eqP->|TT].
    { by rewrite /number_of_task_arrivals /task_arrivals_between /arrivals_between big_geq. }
    have SR : respects (r_source r) by apply: ABOVE; rewrite // /is_above leN.
    apply: leq_trans (number_of_triggered _ _ _ _ _ _ ARR ARR C _ B _ SR MONO _ _ TT) _.
    rewrite -subN; apply: covers_sound COV _ _; first exact: (V _ (at_in _ SL)).
    - exact: (V _ (at_in _ TL)).
    - by rewrite subn_gt0.
  Qed.
End Core.

(** Like [preemptive_above_bound], but nothing is assumed about how often triggered tasks arrive. *)
Definition preemptive_rows_bound (rows : seq row) (ts : seq (@task_T N)) (i : nat) (R : N) : Prop :=
  let tsn := map taskT_to_task ts in
  forall (Job : JobType) (JT : JobTask Job [eqType of concrete_task])
         (JA : JobArrival Job) (JC : JobCost Job)
         (ready : @JobReady Job (ideal.processor_state Job) JC JA)
         (arr_seq : arrival_sequence Job) (sched : schedule (ideal.processor_state Job)),
    valid_arrival_sequence arr_seq ->
    (forall j, arrives_in arr_seq j -> job_task j \in tsn \/ below tsn (job_task j)) ->
    (forall j, arrives_in arr_seq j -> job_task j \in tsn ->
       job_cost j <= task.task_cost (job_task j)) ->
    (forall k, k < size ts -> k \notin map r_task rows ->
       let tsk := taskT_to_task (nth no_task ts k) in respects_max_arrivals arr_seq tsk (max_arrivals tsk)) ->
    (forall n, n < size rows -> caused ts arr_seq sched (nth no_row rows n)) ->
    @valid_schedule Job _ sched JC JA ready arr_seq ->
    (forall j t, job_task j \in tsn ->
       @job_ready _ _ JC JA ready sched j t = @job_ready _ _ JC JA (sequential_ready_instance arr_seq) sched j t) ->
    @work_conserving Job JA JC _ ready arr_seq sched ->
    @respects_FP_policy_at_preemption_point _ Job JT JA JC fully_preemptive_job_model
      ready arr_seq sched (NumericFPAscending _) ->
    task_response_time_bound arr_seq sched (taskT_to_task (nth no_task ts i)) (nat_of_bin R).

Theorem preemptive_rows_sound (rows : seq row) (ts : seq (@task_T N)) (cs : seq claim) (k i : nat) (R : N) :
  rows_ok rows ts cs = true -> states cs k i R = true -> preemptive_rows_bound rows ts i R.
Proof.
  move=> /andP[ROWS ALL] S tsn Job JT JA JC ready arr_seq sched VA SETS COSTS KNOWN CAUSED VALID SEQ WC POL.
  have OK : set_ok ts.
  { by move: S => /and3P[LT _ _]; move: (all_pick _ _ _ ALL LT) => /and5P[]. }
  apply: (preemptive_above_sound ts cs k i R ALL S Job JT JA JC ready) => // tsk /in_at[m M ->].
  by apply: (rows_respect ts ready arr_seq sched VA SETS COSTS VALID SEQ WC POL cs rows).
Qed.
