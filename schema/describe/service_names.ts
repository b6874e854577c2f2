/**
 * Writes the names of all services for the health check. The Worker that runs the check has only a few of the services.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { services } from "../descriptors.ts";
import { unimplementedReason } from "../options.ts";

/** Writes service_names.json into a folder. It says for each full name whether any method of the service is served. */
export function writeServiceNames(folder: string): void {
  const names = services.map(({ typeName, methods }) => [
    typeName,
    methods.some((method) => unimplementedReason(method) === undefined),
  ]);
  const text = JSON.stringify(Object.fromEntries(names), null, 2);
  writeFileSync(join(folder, "service_names.json"), `${text}\n`);
}
