/** FAILED_PRECONDITION of expiry plans, in the form of reasons.ts. */

const plans = (...methods: string[]) =>
  methods.map((method) => `registry.v2.ExpiryPlansService/${method}`);

export const planReasons = [
  {
    type: "PLAN_OPEN",
    description:
      "the repository has an expiry plan that is not finished; carry it out or cancel it first",
    names: plans("CreateExpiryPlan"),
  },
  {
    type: "NO_EXPIRE_RULE",
    description:
      "no rule lets tags or images of the repository expire; create a tag rule of the kind expire",
    names: plans("CreateExpiryPlan"),
  },
  {
    type: "REPO_TOO_LARGE",
    description:
      "a plan reads at most 250000 tags, 250000 manifests, and 2000000 references and moves; delete some by hand first",
    names: plans("CreateExpiryPlan", "CarryOutExpiryPlan"),
  },
  {
    type: "PLAN_STATE",
    description: "the plan does not wait for approval",
    names: plans("ApproveExpiryPlan"),
  },
  {
    type: "PLAN_STATE",
    description: "the plan waits for approval",
    names: plans("CarryOutExpiryPlan"),
  },
  {
    type: "PLAN_STATE",
    description: "the plan is finished",
    names: plans("CancelExpiryPlan"),
  },
  {
    type: "PLAN_STATE",
    description: "the plan was undone",
    names: plans("UndoExpiryPlan"),
  },
  {
    type: "OWN_PLAN",
    description: "you made the plan, so another person must approve it",
    names: plans("ApproveExpiryPlan"),
  },
  {
    type: "UNDO_EXPIRED",
    description: "the time in which the plan could be undone has passed",
    names: plans("UndoExpiryPlan"),
  },
  {
    type: "NOTHING_TO_UNDO",
    description: "the plan has deleted nothing",
    names: plans("UndoExpiryPlan"),
  },
];
