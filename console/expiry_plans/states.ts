/** Expiry plans in words, which are the same in the list and on the page of a plan. */
import type { ExpiryOutcome, ExpiryPlan, ExpiryPlanState } from "../../client/index.ts";
import type { Tone } from "../elements/badge.tsx";
import { formatCount } from "../elements/bytes.ts";

/** A state: a short word, its tone, and a sentence. */
const states: Partial<Record<ExpiryPlanState, readonly [string, Tone, string]>> = {
  EXPIRY_PLAN_STATE_AWAITING_APPROVAL: [
    "To approve",
    "warn",
    "It deletes nothing until another person approves it.",
  ],
  EXPIRY_PLAN_STATE_READY: [
    "Ready",
    "info",
    "It can be carried out. It has not deleted anything yet.",
  ],
  EXPIRY_PLAN_STATE_RUNNING: ["Running", "info", "It is being carried out."],
  EXPIRY_PLAN_STATE_DONE: ["Done", "good", "It is complete."],
  EXPIRY_PLAN_STATE_CANCELED: ["Canceled", "plain", "It was canceled."],
  EXPIRY_PLAN_STATE_UNDOING: ["Being undone", "info", "It is being undone."],
  EXPIRY_PLAN_STATE_UNDONE: ["Undone", "plain", "It was undone."],
};

/** The state of a plan in words. */
export function stateWords({ state, daily }: Pick<ExpiryPlan, "state" | "daily">) {
  const [word, tone, sentence] = states[state ?? "EXPIRY_PLAN_STATE_UNSPECIFIED"] ?? [
    "Unknown",
    "plain" as const,
    "",
  ];
  // The platform made it, so anyone else is another one.
  return {
    word,
    tone,
    sentence: daily ? sentence.replace("another person", "a person") : sentence,
  };
}

/** Whether it can only be carried out once it is approved. */
export const isWaiting = ({ state }: ExpiryPlan): boolean =>
  state === "EXPIRY_PLAN_STATE_AWAITING_APPROVAL";

/** Whether a repository can have no further plan until this one is finished. */
export const isOpen = ({ state = "EXPIRY_PLAN_STATE_UNSPECIFIED" }: ExpiryPlan): boolean =>
  [
    "EXPIRY_PLAN_STATE_AWAITING_APPROVAL",
    "EXPIRY_PLAN_STATE_READY",
    "EXPIRY_PLAN_STATE_RUNNING",
  ].includes(state);

/** Whether the platform or someone works on it now. */
export const isMoving = ({ state = "EXPIRY_PLAN_STATE_UNSPECIFIED" }: ExpiryPlan): boolean =>
  ["EXPIRY_PLAN_STATE_RUNNING", "EXPIRY_PLAN_STATE_UNDOING"].includes(state);

const counted = (count: number, noun: string) =>
  `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

/** The contents of a plan, such as `2 tags and 1 image`. */
export const contentsText = ({
  tagCount,
  manifestCount,
}: Pick<ExpiryPlan, "tagCount" | "manifestCount">): string =>
  `${counted(tagCount, "tag")} and ${counted(manifestCount, "image")}`;

/** The number of tags and images in a plan. */
export const sizeOf = ({ tagCount, manifestCount }: ExpiryPlan): number => tagCount + manifestCount;

/** The outcomes that an item can have, and their words. */
export const outcomeWords: readonly (readonly [ExpiryOutcome, string, Tone])[] = [
  ["EXPIRY_OUTCOME_PLANNED", "Planned", "plain"],
  ["EXPIRY_OUTCOME_DELETED", "Deleted", "bad"],
  ["EXPIRY_OUTCOME_LEFT", "Left alone", "warn"],
  ["EXPIRY_OUTCOME_RESTORED", "Restored", "good"],
  ["EXPIRY_OUTCOME_NOT_RESTORED", "Not restored", "bad"],
];
