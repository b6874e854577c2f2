/** Collects what the project has for its resources, from each part of the project. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { migratedTables, tableModules, wantedTriggers } from "../../schema/describe/triggers.ts";
import { services } from "../../schema/descriptors.ts";

/** The parts of a project in which a resource has a piece. */
export type Facts = {
  /** Every service of schema/proto. */
  services: readonly DescService[];
  /** The paths of source files, relative to the project. */
  paths: string[];
  /** Returns the text of a file of `paths`. */
  text(path: string): string;
  /** The names of the tables in the files of schema/tables. */
  tables: string[];
  /** The names of the triggers that these files ask for. */
  triggers: string[];
  /** The names of the tables that the migrations create. */
  migrated: string[];
  /** The full names of the RPCs in the OpenAPI document, such as `platform.iam.v2.RolesService/GetRole`. */
  documented: string[];
  /** The lines of test/contract/routes.txt. */
  routes: string;
};

/** Reads the facts of the project in a folder, which must be the project of this file. */
export async function factsOf(root: string, paths: string[]): Promise<Facts> {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const exported = (await tableModules(root)).flatMap((module) => Object.values(module));
  const document = JSON.parse(read("schema/gen/openapi.json")) as {
    paths: Record<string, Record<string, { "x-grpc"?: string }>>;
  };
  return {
    services,
    paths,
    text: read,
    tables: exported.flatMap((value) => (is(value, SQLiteTable) ? [getTableName(value)] : [])),
    triggers: (await wantedTriggers(root)).map(({ name }) => name),
    migrated: migratedTables(join(root, "migrations")),
    documented: Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap((operation) => operation["x-grpc"] ?? []),
    ),
    routes: read("test/contract/routes.txt"),
  };
}
