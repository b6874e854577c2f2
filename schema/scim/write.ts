/** Writes the SCIM schemas of users and groups (RFC 7643 sections 4.1 to 4.3) from a library that contains them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EnterpriseUser, Group, User } from "scimmy/schemas";

/** Writes `scim_schemas.json` into the folder: the schemas of a user, of its extension, and of a group. */
export function writeScimSchemas(folder: string): void {
  const documents = [User, EnterpriseUser, Group].map(({ definition }) => {
    const { meta: _, ...document } = JSON.parse(JSON.stringify(definition.describe(), withoutNone));
    return document;
  });
  writeFileSync(join(folder, "scim_schemas.json"), `${JSON.stringify(documents, null, 2)}\n`);
}

/** An empty choice of values would refuse everything, but the standard means that any value is allowed. */
const withoutNone = (name: string, value: unknown) =>
  name === "canonicalValues" && Array.isArray(value) && value.length === 0 ? undefined : value;
