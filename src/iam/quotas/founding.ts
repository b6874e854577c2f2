/** Limits how many organizations one person can own by founding them. */
import { type SQL, sql } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { QuotaKind } from "../../../schema/gen/platform/iam/quotas/v2/quotas_pb.js";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { OWNER_ROLE } from "../../../schema/tables/iam/roles.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { DEFAULTS } from "../../../schema/tables/platform/quotas.ts";
import { overQuotaSql } from "../../../schema/tables/quota_check.ts";
import { writeGuards } from "../../../schema/tables/write_guards.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { isServed, isSpread } from "../../auth/databases.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import type { Statement } from "../../outbox/commit.ts";
import { limitOfKind, nameOfKind } from "../../resource/quotas.ts";

/** Whether the caller has the capability of the operator on an organization. */
const isOperator = (caller: Caller): boolean =>
  caller.grants.some(
    ({ group }) => parentOf(group) === "" && holds(caller, [Capability.CAP_INTERNAL], group),
  );

/** SQL: how many organizations an identity owns in one database. */
const ownedBy = ({ databases }: Pick<Call, "databases">, identity: string): SQL<number> => {
  const served = isSpread(databases) ? sql` and ${isServed(sql`"owned"."parent"`)}` : sql``;
  return sql`(select count(*) from ${roleBindings} as "owned" where "owned"."identity_uid" = ${identity}
    and "owned"."accepted" = 1 and length("owned"."parent") = 40 and "owned"."role_uid" = ${OWNER_ROLE}
    and ${isPresent(sql`"owned"."parent"`)}${served})`;
};

/**
 * The statement that undoes the batch of a new organization if its founder would own too many. It comes before the role
 * binding of the founder. The operator founds organizations for others, and is not limited.
 */
export async function limitFounding(call: Call, caller: Caller): Promise<Statement[]> {
  if (isOperator(caller)) return [];
  const { db, databases } = call;
  const others = isSpread(databases) ? await databases.othersThan(db) : [];
  const elsewhere = await Promise.all(
    others.map(async (other) => {
      const [row] = await other
        .select({ owned: ownedBy(call, caller.identity).as("owned") })
        .from(sql`(select 1)`);
      return row?.owned ?? 0;
    }),
  );
  const kind = nameOfKind(QuotaKind.OWNED_ORGANIZATIONS);
  const sum = elsewhere.reduce((total, one) => total + one, 1);
  const text = sql.raw(overQuotaSql(`'${kind}'`, `"most"`, `"owned"`, "''"));
  const numbers = sql`(select ${ownedBy(call, caller.identity)} + ${sum} as "owned",
    ${limitOfKind(DEFAULTS, kind)} as "most" limit 1)`;
  return [
    db
      .insert(writeGuards)
      .select(sql`select ${text} from ${numbers} where "most" >= 0 and "owned" > "most"`),
  ];
}
