/** The names of all services, for the health check: the Worker that answers it has few of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { services } from "../descriptors.ts";
import { unimplementedReason } from "../options.ts";

/** Writes service_names.json into a folder: by full name, whether any method of the service is served. */
export function writeServiceNames(folder: string): void {
  const names = services.map(({ typeName, methods }) => [
    typeName,
    methods.some((method) => unimplementedReason(method) === undefined),
  ]);
  const text = JSON.stringify(Object.fromEntries(names), null, 2);
  writeFileSync(join(folder, "service_names.json"), `${text}\n`);
}
