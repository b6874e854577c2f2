/** Calls that create the world. Each must succeed. */
import type { Answer } from "../world/platform.ts";
import type { RaceStage } from "./stage.ts";

/** The fields of a response that a world needs. */
type Made = { uid: string; id: string } & Record<string, string>;

export interface Maker {
  stage: RaceStage;
  ask(method: string, path: string, token?: string, body?: unknown): Promise<Answer>;
  /** The message in the response to a POST. */
  make(path: string, token: string, body: unknown): Promise<Made>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function makerOf(stage: RaceStage): Maker {
  const ask: Maker["ask"] = async (method, path, token, body) => {
    const response = await fetch(`${stage.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(path.startsWith("/scim/") ? { "content-type": "application/scim+json" } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    return { status, headers, body: parsed(await response.text()) };
  };
  return {
    ...{ stage, ask },
    async make(path, token, body) {
      const answer = await ask("POST", path, token, body);
      if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}

/** The uids of the built-in roles. */
export async function builtInRoles({ sql }: RaceStage) {
  const rows = await sql<{ name: string; uid: string }>(
    "select name, uid from roles where length(uid) = 40",
  );
  const uidOf = (name: string) => rows.find((row) => row.name === name)?.uid ?? "";
  return { owner: uidOf("owner"), editor: uidOf("editor"), viewer: uidOf("viewer") };
}

/** A row, by column. */
export async function insert(
  { sql }: RaceStage,
  table: string,
  row: Record<string, unknown>,
): Promise<void> {
  const names = Object.keys(row);
  const values = names.map(() => "?").join(", ");
  await sql(`insert into ${table} (${names.join(", ")}) values (${values})`, ...Object.values(row));
}
