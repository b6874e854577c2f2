/**
 * Walks through the subscriptions with due deliveries, organization by organization. A walk looks at a few subscriptions
 * of each, so that an organization with many does not keep the sender from the others. The next walk continues behind
 * them.
 */
import { type SQL, sql } from "drizzle-orm";
import { deliveries } from "../../../schema/tables/events/deliveries.ts";

/** The most subscriptions that a walk looks at, and those of one organization among them. */
const maxLooked = 100;
const maxOfOrganization = 10;

/** The place where a walk begins. */
export interface WalkStart {
  /** The walk looks at organizations after this text. */
  after: string;
  /** The last subscription that was looked at, of organizations that have more. */
  places: Record<string, string>;
}

/** The subscriptions of an organization that a walk has looked at. */
export interface Looked {
  organization: string;
  /** The last one. */
  uid: string;
  count: number;
  /** The deliveries that could be sent now if there was room for them. */
  due: number;
}

/** SQL: the organization of a uid. */
export const organizationOf = (uid: SQL): SQL => sql`substr(${uid}, 1, 40)`;

/** SQL: the first subscription after a text that has a delivery with a due time, in or before the future. */
const firstAfter = (text: SQL): SQL => sql`(select min(${deliveries.parent}) from ${deliveries}
  where ${deliveries.parent} > ${text} and ${deliveries.dueTime} is not null)`;

/** The subscriptions of a walk as the common table `walk(uid, turn)`. `turn` counts those of the organization. */
export function walkFrom({ after, places }: WalkStart): SQL {
  const own = sql`${organizationOf(sql`"walk"."uid"`)}`;
  // "0" is the character after "/", so this is behind the whole organization.
  const next = sql`iif("walk"."turn" < ${sql.raw(String(maxOfOrganization))}, ${firstAfter(sql`"walk"."uid"`)}, ${firstAfter(sql`${own} || '0'`)})`;
  const isSame = sql`${organizationOf(next)} = ${own}`;
  const enter = (first: SQL) => entered(first, places);
  return sql`with recursive "walk"("uid", "turn") as (
    select ${enter(firstAfter(sql`${after}`))}, 1
    union all
    select iif(${isSame}, ${next}, ${enter(next)}), iif(${isSame}, "walk"."turn" + 1, 1)
      from "walk" where "walk"."uid" is not null
    limit ${sql.raw(String(maxLooked))})`;
}

/** The subscription where the walk enters an organization: the one after its place, or its first one. */
function entered(first: SQL, places: Record<string, string>): SQL {
  if (Object.keys(places).length === 0) return first;
  const ownPlace = sql`(select "value" from json_each(${JSON.stringify(places)}) where "key" = ${organizationOf(first)})`;
  return sql`coalesce((select min("there"."parent") from ${deliveries} as "there"
    where "there"."parent" > ${ownPlace} and "there"."parent" < ${organizationOf(first)} || '0'
      and "there"."due_time" is not null), ${first})`;
}

/**
 * Keeps the place of a sender between its walks. A round is over when each organization was walked from its first
 * subscription to its last one, in as many walks as it needs.
 */
export class Rotation {
  #after = "";
  readonly #places = new Map<string, { uid: string; isFromFirst: boolean }>();
  /** The organizations that this round has walked as a whole. */
  readonly #covered = new Set<string>();
  /** Whether the round has found nothing so far. */
  #isEmpty = false;

  get start(): WalkStart {
    const places = [...this.#places].map(([organization, { uid }]) => [organization, uid]);
    return { after: this.#after, places: Object.fromEntries(places) };
  }

  /** Whether the next walk begins with the first organization. */
  get isAtStart(): boolean {
    return this.#after === "";
  }

  /** Something can be due again that the round has passed. */
  disturb(): void {
    this.#isEmpty = false;
    this.#covered.clear();
    for (const place of this.#places.values()) place.isFromFirst = false;
  }

  /** Continues behind a walk. Returns whether a whole round has found nothing. */
  advance(walked: Looked[], hasFound: boolean): boolean {
    const isCut = walked.reduce((sum, { count }) => sum + count, 0) === maxLooked;
    // The walk may have ended within the last organization, so the next one begins with it.
    const looked = isCut ? walked.slice(0, -1) : walked;
    for (const one of looked) if (this.#pass(one)) this.#covered.add(one.organization);
    const isCovered = looked.every(({ organization }) => this.#covered.has(organization));
    this.#isEmpty = !hasFound && isCovered && (this.#isEmpty || this.#after === "");
    const last = looked.at(-1);
    this.#after = isCut && last ? `${last.organization}0` : "";
    const isOver = this.#isEmpty && this.#after === "";
    // The next round looks again, because deliveries become due as time passes.
    if (hasFound || isOver) this.disturb();
    return isOver;
  }

  /** Keeps the place in an organization. Returns whether the walks have reached its end from its first subscription. */
  #pass({ organization, uid, count }: Looked): boolean {
    const place = this.#places.get(organization);
    // The place was the last subscription, so the walk began with the first one again.
    const hasWrapped = place !== undefined && uid <= place.uid;
    const wasFromFirst = place?.isFromFirst ?? true;
    if (count < maxOfOrganization) {
      this.#places.delete(organization);
      return hasWrapped || wasFromFirst;
    }
    this.#places.set(organization, { uid, isFromFirst: hasWrapped || wasFromFirst });
    return hasWrapped && wasFromFirst;
  }
}
