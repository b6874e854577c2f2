/** Writes the names of the requests with a scope field, so that a handler of another request has no database by type. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { services } from "../descriptors.ts";
import { isScopeField } from "../options.ts";

/** Writes scoped_requests.d.ts into a folder: a union of the full names of the requests, sorted. */
export function writeScopedRequests(folder: string): void {
  const inputs = services.flatMap(({ methods }) => methods.map(({ input }) => input));
  const scoped = inputs.filter(({ fields }) => fields.some(isScopeField));
  const names = [...new Set(scoped.map(({ typeName }) => typeName))].sort();
  const union = names.map((name) => `  | "${name}"`).join("\n");
  const comment =
    "/** The requests whose proto marks a field with `iam_scope`. Written by `npm run gen`. */";
  writeFileSync(
    join(folder, "scoped_requests.d.ts"),
    `${comment}\nexport type ScopedRequest =\n${union};\n`,
  );
}
