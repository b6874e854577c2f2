/** Writes the types of events, so that a filter which no event matches can be rejected. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileRegistry } from "@bufbuild/protobuf";
import { eventBodies } from "../client/events.ts";

/** Writes event_types.json into a folder: the types without `dev.{vendor}.`, sorted. */
export function writeEventTypes(folder: string, registry: FileRegistry): void {
  const types = [...new Set(eventBodies(registry).map(({ type }) => type))];
  writeFileSync(join(folder, "event_types.json"), `${JSON.stringify(types, null, 2)}\n`);
}
