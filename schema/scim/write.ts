/** Writes the SCIM schemas of a user (RFC 7643 sections 4.1 and 4.3) from a library that contains them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EnterpriseUser, User } from "scimmy/schemas";

/** Writes `scim_schemas.json` into the folder: the schema of a user, and the schema of its extension. */
export function writeScimSchemas(folder: string): void {
  const documents = [User, EnterpriseUser].map(({ definition }) => {
    const { meta: _, ...document } = JSON.parse(JSON.stringify(definition.describe(), withoutNone));
    return document;
  });
  writeFileSync(join(folder, "scim_schemas.json"), `${JSON.stringify(documents, null, 2)}\n`);
}

/** An empty choice of values would refuse everything, but the standard means that any value is allowed. */
const withoutNone = (name: string, value: unknown) =>
  name === "canonicalValues" && Array.isArray(value) && value.length === 0 ? undefined : value;
