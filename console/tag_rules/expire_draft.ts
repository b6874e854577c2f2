/** A rule of the kind `expire` while a person writes it. */
import type { ExpireRule, ExpireRuleInput, NewestOrder } from "../../client/index.ts";

/** The content of the fields. Numbers are texts, and empty without the condition. */
export interface ExpireDraft {
  /** A rule is about tags, or about images that have none. */
  expiring: "tags" | "untagged";
  unmovedDays: string;
  unpulledDays: string;
  newestCount: string;
  newestOrder: NewestOrder;
  untaggedDays: string;
  approval: boolean;
  daily: boolean;
}

const textOf = (count: number | undefined) => (count ? String(count) : "");

/** The fields of a rule, or those of a new one. */
export const expireDraftOf = (expire: Partial<ExpireRule> = {}): ExpireDraft => ({
  expiring: expire.untaggedDays ? "untagged" : "tags",
  unmovedDays: textOf(expire.unmovedDays),
  unpulledDays: textOf(expire.unpulledDays),
  newestCount: textOf(expire.beyondNewest?.count),
  newestOrder: expire.beyondNewest?.order ?? "NEWEST_ORDER_VERSION",
  untaggedDays: textOf(expire.untaggedDays),
  approval: expire.approval ?? false,
  daily: expire.daily ?? false,
});

/** The rule as the API takes it. */
export function expireOf(draft: ExpireDraft): ExpireRuleInput {
  const { expiring, approval, daily, newestCount, newestOrder } = draft;
  if (expiring === "untagged") return { untaggedDays: Number(draft.untaggedDays), approval, daily };
  return {
    unmovedDays: Number(draft.unmovedDays),
    unpulledDays: Number(draft.unpulledDays),
    ...(newestCount === ""
      ? {}
      : { beyondNewest: { count: Number(newestCount), order: newestOrder } }),
    approval,
    daily,
  };
}
