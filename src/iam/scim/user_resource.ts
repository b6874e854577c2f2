/** Converts users between row, values and the resource that clients read. */
import type { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { enterpriseSchema, userSchema } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import type { ProviderUsers } from "./filter_sql.ts";
import { jsonBytes } from "./json_bytes.ts";
import { scimLimits } from "./limits.ts";
import type { UserValues, Values } from "./values.ts";
import { versionOf } from "./versions.ts";

export type ScimUserRow = typeof scimUsers.$inferSelect;

/** The data for a resource. */
type ShownColumns = Pick<
  ScimUserRow,
  "uid" | "userName" | "externalId" | "active" | "attributes" | "createTime" | "updateTime"
>;

/** The id that clients use: the last step of the uid. */
const idOf = ({ uid }: { uid: string }) => uid.slice(-16);

export const userLocation = (provider: ProviderUsers, row: { uid: string }) =>
  `${provider.users}/${idOf(row)}`;

/** The user as values that PUT and PATCH change. */
export const toValues = ({
  userName,
  externalId,
  active,
  attributes,
}: ShownColumns): UserValues => ({
  userName,
  ...(externalId === null ? {} : { externalId }),
  active,
  ...attributes,
});

/** The columns for these values. `active` keeps its value if they do not contain it. Throws 400 invalidValue. */
export function toScimUserColumns(values: UserValues, stored?: ScimUserRow) {
  const { userName, externalId, active = stored?.active ?? true, ...attributes } = values;
  if (typeof userName !== "string" || userName.trim() === "") {
    throw badRequest("invalidValue", "userName is required");
  }
  checkSize(values);
  return {
    userName,
    userNameKey: userName.toLowerCase(),
    externalId: typeof externalId === "string" && externalId !== "" ? externalId : null,
    active: active === true,
    attributes,
  };
}

/** `true` and `false` count the same, so that a user at the limit can be deactivated. */
function checkSize(values: UserValues): void {
  const most = scimLimits.userBytes;
  if (jsonBytes({ ...values, active: true }, most) <= most) return;
  throw badRequest("invalidValue", `a user can have at most ${most} bytes as JSON`);
}

/** The resource (RFC 7643 section 4.1). */
export function toResource(provider: ProviderUsers, row: ShownColumns): Values {
  const extended = enterpriseSchema in row.attributes;
  return {
    schemas: extended ? [userSchema, enterpriseSchema] : [userSchema],
    id: idOf(row),
    ...toValues(row),
    meta: {
      resourceType: "User",
      created: new Date(row.createTime).toISOString(),
      lastModified: new Date(row.updateTime).toISOString(),
      location: userLocation(provider, row),
      version: versionOf(row),
    },
  };
}
