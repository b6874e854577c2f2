/** What a project has of its resources, each part read from where it stands. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { migratedTables, tableModules, wantedTriggers } from "../../schema/describe/triggers.ts";
import { services } from "../../schema/descriptors.ts";

/** The parts of a project that a resource has a piece in. */
export type Facts = {
  /** Every service of schema/proto. */
  services: readonly DescService[];
  /** Paths of source files, relative to the project. */
  paths: string[];
  /** The text of a file of `paths`. */
  text(path: string): string;
  /** Names of the tables that files of schema/tables have. */
  tables: string[];
  /** Names of the triggers that they ask for. */
  triggers: string[];
  /** Names of the tables that the migrations make. */
  migrated: string[];
  /** Full names of the RPCs, `platform.iam.v2.RolesService/GetRole`, in the OpenAPI document. */
  documented: string[];
  /** The lines of test/contract/routes.txt. */
  routes: string;
};

/** Reads the facts of the project in a folder, which is the one that this file is in. */
export async function factsOf(root: string, paths: string[]): Promise<Facts> {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const exported = (await tableModules(root)).flatMap((one) => Object.values(one));
  const document = JSON.parse(read("schema/gen/openapi.json")) as {
    paths: Record<string, Record<string, { "x-grpc"?: string }>>;
  };
  return {
    services,
    paths,
    text: read,
    tables: exported.flatMap((one) => (is(one, SQLiteTable) ? [getTableName(one)] : [])),
    triggers: (await wantedTriggers(root)).map(({ name }) => name),
    migrated: migratedTables(join(root, "migrations")),
    documented: Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap((operation) => operation["x-grpc"] ?? []),
    ),
    routes: read("test/contract/routes.txt"),
  };
}
