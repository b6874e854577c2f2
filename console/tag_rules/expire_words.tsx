/** Tag rules of the kind `expire` in plain words. */
import type { ExpireRule, TagRule } from "../../client/index.ts";
import { formatCount } from "../elements/bytes.ts";
import { MatchedRepos, Matches } from "./matches.tsx";

/** The tags or images that expire, the conditions, and who deletes them, as sentences. */
export function Expiring({ rule, expire }: { rule: TagRule; expire: ExpireRule }) {
  return (
    <>
      Lets <Subject rule={rule} expire={expire} />. {makerText(expire)}
    </>
  );
}

/** The tags or images and the conditions, as the rest of the sentence. */
function Subject({ rule, expire }: { rule: TagRule; expire: ExpireRule }) {
  if (expire.untaggedDays)
    return (
      <>
        images without a tag for {daysText(expire.untaggedDays)}
        <MatchedRepos rule={rule} /> expire
      </>
    );
  return (
    <>
      <Matches rule={rule} /> expire if they {list.format(conditionsOf(expire))}
    </>
  );
}

const list = new Intl.ListFormat("en");

function conditionsOf({ unmovedDays, unpulledDays, beyondNewest }: ExpireRule): string[] {
  return [
    unmovedDays ? `have not moved for ${daysText(unmovedDays)}` : "",
    unpulledDays ? `were neither pulled nor moved for ${daysText(unpulledDays)}` : "",
    beyondNewest
      ? `are not among the newest ${formatCount(beyondNewest.count)} by ${
          beyondNewest.order === "NEWEST_ORDER_TIME" ? "the time of their last move" : "version"
        }`
      : "",
  ].filter(Boolean);
}

function makerText({ daily, approval }: ExpireRule): string {
  const maker = daily
    ? "The platform makes a plan every day and carries it out"
    : "A plan that someone makes and carries out deletes them";
  if (!approval) return `${maker}.`;
  return daily
    ? `${maker} once a person has approved it.`
    : `${maker}, once another person has approved it.`;
}

const daysText = (days: number) => `${days} ${days === 1 ? "day" : "days"}`;
