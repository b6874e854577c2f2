/** One real change for every RPC that changes quotas. The caller of contract tests has the role of the operator. */
import { sql } from "../../world/platform.ts";
import type { ChangeContext, OwnChange } from "./change.ts";

let limit = 1_000_000;

/** A limit that no other test uses, and that no test reaches. */
const newLimit = () => {
  limit += 1;
  return String(limit);
};

const answered = ({ answer }: ChangeContext) => answer;

export const quotaChanges: Record<string, OwnChange> = {
  "QuotasService/UpdateQuota": {
    group: "self",
    body: answered,
    prepare: ({ organization: { uid } }) => ({
      request: { parent: uid, kind: "QUOTA_KIND_SUBSCRIPTIONS", limit: newLimit() },
      subject: uid,
    }),
    async idle({ organization: { uid } }) {
      await sql("delete from quotas where organization = ? and kind = 'roles'", uid);
      return { parent: uid, kind: "QUOTA_KIND_ROLES", useDefault: true };
    },
  },
  "QuotasService/UpdateDefaultQuota": {
    group: "self",
    body: answered,
    prepare: ({ organization: { uid } }) => ({
      request: { parent: uid, kind: "QUOTA_KIND_SCIM_GROUPS", limit: newLimit() },
      subject: uid,
      rows: () => sql("select * from quotas where organization = '' and kind = 'scim_groups'"),
    }),
    async idle({ organization: { uid } }) {
      await sql("update quotas set quota_limit = 777 where organization = '' and kind = 'roles'");
      return { parent: uid, kind: "QUOTA_KIND_ROLES", limit: "777" };
    },
  },
};
