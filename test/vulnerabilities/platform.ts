/** The vulnerabilities Worker on a local D1, with organizations and callers made for each test. */
import { randomBytes } from "node:crypto";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { createTestHarness, type TestHarness } from "wrangler";

const origin = "http://localhost:8787";

/** Uids of built-in roles (migrations). */
export const roles = {
  owner: "4e13a874c5dfc25fa6c8f963f7172906b675d5eb",
  advisoriesAdmin: "287574b3539f05e585fb3c590fc3128d6c937078",
  advisoriesViewer: "26ce85bbe8c4ae7b9cae303b3e3e62532c70f38a",
} as const;

/** An answer of the platform, its body parsed. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
  /** Calls to D1, as the Worker metered them. */
  roundTrips: number;
  /** Rows that those read. */
  rowsRead: number;
}

/** What the tests use of a D1 binding. */
interface Database {
  prepare(statement: string): {
    bind(...values: unknown[]): { all<T>(): Promise<{ results: T[] }> };
  };
}

type Row = Record<string, string | number | null>;

/** Random lower-case hexadecimal text. */
export const hex = (length: number) => randomBytes(length / 2).toString("hex");

/** A running Worker and its database. */
export class Platform {
  readonly #server: TestHarness;
  readonly #key: CryptoKey;

  private constructor(server: TestHarness, key: CryptoKey) {
    this.#server = server;
    this.#key = key;
  }

  /** Builds the Worker and migrates an empty database. */
  static async start(): Promise<Platform> {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk: JWK = { ...(await exportJWK(privateKey)), kid: "test", alg: "ES256" };
    const server = createTestHarness({
      workers: [
        {
          config: {
            name: "vulnerabilities",
            main: "src/vulnerabilities/worker.ts",
            compatibility_date: "2026-10-01",
            compatibility_flags: ["nodejs_compat"],
            d1_databases: [
              {
                binding: "DB",
                database_name: "platform",
                database_id: "0",
                migrations_dir: "migrations",
              },
            ],
            vars: {
              BASE_URL: origin,
              REGISTRY_URL: origin,
              ISSUER_URL: origin,
              AUDIENCE: origin,
              REGISTRY_AUDIENCE: "localhost:8787",
              VENDOR: "vendor",
              SERVICE_DOMAIN: "platform.example",
              PUBLIC_NAMESPACE: "public",
              METER: "true",
              SIGNING_KEYS: JSON.stringify({ keys: [jwk] }),
              PAGE_TOKEN_KEYS: JSON.stringify([randomBytes(32).toString("base64url")]),
            },
          },
        },
      ],
    });
    await server.listen();
    await server.getWorker().applyD1Migrations("DB");
    return new Platform(server, privateKey);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Runs one statement on the platform's database. */
  async sql<T = Row>(statement: string, ...values: (string | number | null)[]): Promise<T[]> {
    const { DB } = await this.#server.getWorker<{ DB: Database }>().getEnv();
    return (
      await DB.prepare(statement)
        .bind(...values)
        .all<T>()
    ).results;
  }

  /** Inserts a row: its columns by name. */
  async insert(table: string, row: Row): Promise<void> {
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(",");
    await this.sql(
      `insert into ${table} (${names.join(",")}) values (${marks})`,
      ...Object.values(row),
    );
  }

  /** A fresh organization, and a token of an identity that holds the role in it. */
  async organization(role: string = roles.owner): Promise<{ group: string; token: string }> {
    const group = hex(40);
    await this.insert("groups", {
      uid: group,
      name: `org-${group}`,
      create_time: 1,
      update_time: 1,
    });
    return { group, token: await this.member(group, role) };
  }

  /** A token of a fresh identity that holds the role in the group. */
  async member(group: string, role: string): Promise<string> {
    const identity = `${group}/${hex(16)}`;
    const times = { create_time: 1, update_time: 1 };
    await this.insert("identities", {
      uid: identity,
      name: "someone",
      last_seen_time: 1,
      ...times,
    });
    const binding = { uid: `${group}/${hex(16)}`, identity_uid: identity, role_uid: role };
    await this.insert("role_bindings", { ...binding, ...times });
    return new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid: "test" })
      .setIssuer(origin)
      .setAudience(origin)
      .setSubject(identity)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(this.#key);
  }

  /** Calls the platform: GET, or POST where there is a body. */
  async call(token: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await this.#server.fetch(`/vulnerabilities/v2/${path}`, { headers, ...sent });
    const meter = response.headers.get("server-timing") ?? "";
    const [, roundTrips, rowsRead] = /round_trips=(\d+) rows_read=(\d+)/.exec(meter) ?? [];
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
      roundTrips: Number(roundTrips),
      rowsRead: Number(rowsRead),
    };
  }
}
