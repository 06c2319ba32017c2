(* SPDX-License-Identifier: Apache-2.0 *)
(** A kernel of one context of a GPU whose contexts take turns (docs/theory/gpu.md, equations 1 and 2, each context once
    in the runlist). Needs nothing of Prosa.

    The engine serves one context at a time, in turns 0, 1, 2, …. The kernel of context [i] waits from the start of
    turn 0 on: an earlier part of that turn does not count, nor does a switch before it, of at most [x]. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat div seq fintype bigop.
From mathcomp Require Import zify.

Section RoundRobin.
  (** [n] contexts with the slices L, and the context switch θ. *)
  Variables (n : nat) (L : 'I_n -> nat) (theta : nat) (i : 'I_n).
  Hypothesis slice_positive : 0 < L i.

  (** Turn [m] belongs to the context [owner m] and begins at [start m]. *)
  Variables (owner : nat -> 'I_n) (start : nat -> nat).

  (** A turn takes at most the slice of its context, and a switch follows. The next turn begins at once: as long as the
      kernel is pending, the engine is never idle. *)
  Hypothesis turn_ends : forall m, start m.+1 <= start m + L (owner m) + theta.
  (** While context [i] waits, no other context has two turns. *)
  Hypothesis takes_turns : forall m k, m < k ->
    (forall j, m <= j <= k -> owner j != i) -> owner m != owner k.

  (** [completes m C t]: of the kernel, [C] is left at the start of turn [m], and it completes at [t]. A context that
      has more work than its slice uses the whole slice. *)
  Inductive completes : nat -> nat -> nat -> Prop :=
  | waits m C t : owner m != i -> completes m.+1 C t -> completes m C t
  | ends m C : owner m = i -> C <= L i -> completes m C (start m + C)
  | continues m C t : owner m = i -> L i < C -> completes m.+1 (C - L i) t -> completes m C t.

  (** What the other contexts take before a turn of context [i]. *)
  Definition others : nat := \sum_(k | k != i) (L k + theta).

  Lemma wait_sum m l : (forall j, j < l -> owner (m + j) != i) ->
    start (m + l) <= start m + \sum_(k <- [seq owner (m + j) | j <- iota 0 l]) (L k + theta).
  Proof.
    elim: l => [|l IH] W; first by rewrite addn0 big_nil addn0.
    rewrite -[l.+1]addn1 iotaD map_cat big_cat /= big_cons big_nil addn0 add0n addn1 addnS.
    apply: leq_trans (turn_ends _) _.
    rewrite -addnA [X in _ <= X]addnA leq_add2r; apply: IH => j J.
    by apply: W; apply: leq_trans J _.
  Qed.

  Lemma owners_distinct m l : (forall j, j < l -> owner (m + j) != i) ->
    uniq [seq owner (m + j) | j <- iota 0 l].
  Proof.
    move=> W; rewrite map_inj_in_uniq ?iota_uniq // => a b; rewrite !mem_iota /= !add0n => A B E.
    have neq c d : c < d -> d < l -> owner (m + c) != owner (m + d).
    { move=> CD D; apply: takes_turns; first by rewrite ltn_add2l.
      move=> j /andP[J1 J2]; rewrite -(subnKC (leq_trans (leq_addr c m) J1)); apply: W.
      by rewrite ltn_subLR ?(leq_trans (leq_addr c m) J1) // (leq_ltn_trans J2) // ltn_add2l. }
    case: (ltngtP a b) => // H.
    - by move: (neq _ _ H B); rewrite E eqxx.
    - by move: (neq _ _ H A); rewrite E eqxx.
  Qed.

  Lemma wait_bound m l : (forall j, j < l -> owner (m + j) != i) -> start (m + l) <= start m + others.
  Proof.
    move=> W; apply: leq_trans (wait_sum _ _ W) _; rewrite leq_add2l.
    rewrite big_uniq /=; last exact: owners_distinct.
    rewrite /others [X in X <= _]big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => k _.
    case: ifP => // /mapP[j J ->]; move: J; rewrite mem_iota add0n /= => J.
    by rewrite (W j J).
  Qed.

  (** Its turn comes. *)
  Lemma turn_comes m : exists l, owner (m + l) = i /\ forall j, j < l -> owner (m + j) != i.
  Proof.
    have EX : exists l, owner (m + l) == i.
    { case E: [exists l : 'I_n.+1, owner (m + l) == i]; first by move/existsP: E => [l H]; exists l.
      move/negbT: E; rewrite negb_exists => /forallP N.
      have W j : j < n.+1 -> owner (m + j) != i by move=> J; exact: (N (Ordinal J)).
      have U := owners_distinct m n.+1 W.
      have := max_card (mem [seq owner (m + j) | j <- iota 0 n.+1]).
      by rewrite (card_uniqP U) size_map size_iota card_ord ltnn. }
    exists (ex_minn EX); case: ex_minnP => l /eqP H MIN; split => // j J.
    by apply/negP => O; move: (MIN j O); rewrite leqNgt J.
  Qed.

  Lemma skip_waits m l C t : (forall j, j < l -> owner (m + j) != i) -> completes (m + l) C t -> completes m C t.
  Proof.
    elim: l m => [|l IH] m W; first by rewrite addn0.
    rewrite addnS -addSn => H; apply: waits; first by rewrite -[m]addn0; apply: W.
    by apply: IH H => j J; rewrite addSnnS; apply: W.
  Qed.

  Lemma in_turns q m C : 0 < C -> C <= q.+1 * L i ->
    exists t, completes m C t /\ t <= start m + C + others + q * (theta + others).
  Proof.
    elim: q m C => [|q IH] m C POS LE; have [l [O W]] := turn_comes m; have B := wait_bound _ _ W.
    - exists (start (m + l) + C); split; last by rewrite mul0n addn0 addnAC leq_add2r.
      by apply: skip_waits W _; apply: ends => //; rewrite mul1n in LE.
    - case: (leqP C (L i)) => [S|G].
      + exists (start (m + l) + C); split; first by apply: skip_waits W _; apply: ends.
        by apply: leq_trans (leq_addr _ _); rewrite addnAC leq_add2r.
      + have P1 : 0 < C - L i by rewrite subn_gt0.
        have P2 : C - L i <= q.+1 * L i by rewrite leq_subLR.
        have [t [H T]] := IH (m + l).+1 (C - L i) P1 P2.
        exists t; split; first by apply: skip_waits W _; apply: continues.
        have E := turn_ends (m + l); rewrite O in E.
        rewrite mulSn; move: T E B; set rest := q * _; set D := C - L i => T E B.
        have -> : C = L i + D by rewrite /D subnKC // ltnW.
        by move: T E B; clear; lia.
  Qed.

  Definition turns (C : nat) : nat := (C + L i - 1) %/ L i.

  (** The kernel completes within C + q (θ + Σ (L_k + θ)) of its release, where q = ⌈C / L_i⌉. *)
  Theorem completes_in_time release C : 0 < C -> start 0 <= release + theta ->
    exists t, completes 0 C t /\ t <= release + C + turns C * (theta + others).
  Proof.
    move=> POS FIRST; have Q : 0 < turns C by rewrite /turns divn_gt0 //; move: POS slice_positive; clear; lia.
    have LE : C <= (turns C).-1.+1 * L i.
    { rewrite prednK // /turns; have := ltn_ceil (C + L i - 1) slice_positive.
      by move: POS slice_positive; set a := _ %/ _; rewrite mulSn; set b := a * _; clear; lia. }
    have [t [H T]] := in_turns _ 0 C POS LE.
    exists t; split => //; move: T; rewrite -{2}(prednK Q) mulSn; set rest := _.-1 * _.
    by move: FIRST; clear; lia.
  Qed.
End RoundRobin.

(** The hypotheses can hold together: two contexts that take turns of 5 ticks, with switches of 1. *)
Section Example.
  Let owner (m : nat) : 'I_2 := if odd m then ord_max else ord0.
  Let start (m : nat) : nat := 6 * m.

  Lemma example_ends m : start m.+1 <= start m + 5 + 1.
  Proof. by rewrite /start mulnS; clear; lia. Qed.

  Lemma example_takes_turns m k : m < k ->
    (forall j, m <= j <= k -> owner j != ord_max) -> owner m != owner k.
  Proof.
    move=> MK W; move: (W m) (W m.+1); rewrite leqnn leqnSn MK (ltnW MK) /owner /=.
    by case: (odd m) => /= H1 H2; [move: (H1 isT) | move: (H2 isT)].
  Qed.

  Theorem example C : 0 < C -> exists t,
    completes 2 (fun _ => 5) ord_max owner start 0 C t /\ t <= C + turns 2 (fun _ => 5) ord_max C * 7.
  Proof.
    move=> POS.
    have [t [H T]] := completes_in_time 2 (fun _ => 5) 1 ord_max isT owner start example_ends example_takes_turns
                                        0 C POS isT.
    exists t; split => //; apply: leq_trans T _; rewrite add0n leq_add2l leq_mul2l; apply/orP; right.
    by rewrite /others big_mkcond /= !big_ord_recl big_ord0.
  Qed.
End Example.
Print Assumptions completes_in_time.
Print Assumptions example.
