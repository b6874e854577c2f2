/** Checks the columns that lists of expiring keys and the events before an expiry read. */
import { type CheckPart, type FsckCheck, maxRowsPerRepair, newCheck } from "./check.ts";

const now = "unixepoch() * 1000";
const day = 24 * 3600 * 1000;

/** The expiry of static keys according to the keys themselves. Older keys without one last a year. */
const expiry = `CASE WHEN relationship_type = 2 THEN coalesce(
  cast(round(unixepoch(relationship ->> '$.value.expirationTime', 'subsec') * 1000) AS integer),
  create_time + ${365 * day}) END`;

/** Times within a millisecond are equal, because SQL rounds fractions of one. */
const misdated = `FROM identities WHERE (key_expire_time IS NULL) <> (${expiry} IS NULL)
  OR abs(key_expire_time - (${expiry})) > 1`;

/** How many days before an expiry there is an event (src/iam/expiry/notice_times.ts). */
const noticeDays = [30, 7, 1];

/** The event that comes next: 30 days, 7 days or 1 day before the expiry, or none. */
const nextNotice = (expires: string) =>
  `CASE ${noticeDays
    .map((days) => `WHEN ${expires} - ${days * day} > ${now} THEN ${expires} - ${days * day}`)
    .join(" ")} END`;

/** Rows whose next event is lost, or comes at the wrong time. A time that has passed waits for the next sweep. */
function noticePart(
  table: string,
  { expires, notice, where }: { expires: string; notice: string; where: string },
): CheckPart {
  const isLost = `${notice} IS NULL AND ${where} AND ${expires} - ${day} > ${now}`;
  const times = noticeDays.map((days) => `${expires} - ${days * day}`).join(", ");
  const isWrong = `${notice} IS NOT NULL AND (NOT (${where}) OR ${expires} IS NULL OR ${notice} NOT IN (${times}))`;
  const damaged = `FROM "${table}" WHERE (${isLost}) OR (${isWrong})`;
  return {
    table,
    damaged: `SELECT uid, 'its next event before the expiry is missing or wrong' AS wrong ${damaged}`,
    repair: [
      `UPDATE "${table}" SET ${notice} = CASE WHEN ${where} THEN ${nextNotice(expires)} END
      WHERE uid IN (SELECT uid ${damaged} LIMIT ${maxRowsPerRepair})`,
    ],
  };
}

/** The expiries of static keys and SCIM tokens, and the events about them. */
export const expiriesCheck: FsckCheck = newCheck(
  {
    name: "expiries",
    promise: "Static keys are found by their expiry. They and keys have their events before it.",
    remedy: "takes the expiry from the keys, and plans the next event",
  },
  [
    {
      table: "identities",
      damaged: `SELECT uid, 'is found by another expiry than that of its keys' AS wrong ${misdated}`,
      repair: [
        `UPDATE identities SET key_expire_time = ${expiry} WHERE uid IN (SELECT uid ${misdated} LIMIT ${maxRowsPerRepair})`,
      ],
    },
    noticePart("identities", {
      expires: "key_expire_time",
      notice: "key_notice_time",
      where: "key_expire_time IS NOT NULL",
    }),
    noticePart("keys", { expires: "expire_time", notice: "notice_time", where: "true" }),
    noticePart("identity_providers", {
      expires: "scim_token_expire_time",
      notice: "scim_token_notice_time",
      where: "scim_token_expire_time IS NOT NULL AND scim_token_revoke_time IS NULL",
    }),
  ],
);
