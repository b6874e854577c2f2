/** The states of access in words. */
import type { AccessState } from "../../client/index.ts";
import type { Tone } from "../elements/badge.tsx";

interface StateText {
  name: string;
  tone: Tone;
  /** The reason, and the way out. */
  text: string;
}

/** A word for each state, and what it means. */
export const stateText: Record<Exclude<AccessState, "ACCESS_STATE_UNSPECIFIED">, StateText> = {
  ACCESS_STATE_EFFECTIVE: { name: "Has access", tone: "good", text: "The role applies now." },
  ACCESS_STATE_PENDING: {
    name: "Pending",
    tone: "warn",
    text: "The person comes from outside the organization and has not accepted the role yet. Until then, the role gives nothing.",
  },
  ACCESS_STATE_BLOCKED: {
    name: "Blocked",
    tone: "bad",
    text: "An identity provider has deactivated the person, or does not know them. Activate them there, or let them sign in through another provider.",
  },
  ACCESS_STATE_OUT_OF_REACH: {
    name: "Out of reach",
    tone: "bad",
    text: "The identity belongs to a group that is not above this resource, and no role gives it access outside that group.",
  },
};

/** The words for the state of an entry. A state of a newer platform shows its value. */
export const toStateText = (state: AccessState | undefined): StateText =>
  (stateText as Record<string, StateText>)[state ?? ""] ?? {
    name: state ?? "Unknown",
    tone: "plain" as const,
    text: "The platform is newer than this page and has another state.",
  };
