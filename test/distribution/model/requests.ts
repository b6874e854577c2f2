/** Sends requests to the platform within the Worker. Every chunk of a body waits at a gate. */
import { manifestType } from "./contents.ts";
import { type Fate, hourMs, type Part } from "./program.ts";
import type { Scheduler, Task } from "./scheduler.ts";

declare const IdentityTransformStream: new () => TransformStream<Uint8Array, Uint8Array>;

/** The Worker of the platform, and what it needs. */
export interface Host {
  platform: {
    fetch(request: Request, env: unknown, execution: object): Promise<Response>;
    scheduled(controller: object, env: unknown, execution: object): Promise<void>;
  };
  env: unknown;
}

/** An organization, and the tokens of its owner. */
export interface Organization {
  uid: string;
  /** For images. */
  registryToken: string;
  /** For the API. */
  apiToken: string;
}

export interface Sent extends Fate {
  method: string;
  /** For the lines of the history. */
  about?: string;
  path: string;
  by: Organization;
  chunks?: Uint8Array[];
  headers?: Record<string, string>;
}

export interface Answer {
  /** 0 if the client got no response. */
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** The times of the scheduler when the request was sent, and when its response came. */
  began: number;
  ended: number;
}

/** The headers for a part of a blob. */
export const partHeaders = (part: Part | undefined, hasRange: boolean, hasLength: boolean) => {
  const size = (part?.chunks ?? []).reduce((sum, { length }) => sum + length, 0);
  return {
    ...(part && hasRange && size > 0
      ? { "content-range": `${part.from}-${part.from + size - 1}` }
      : {}),
    ...(hasLength || size === 0 ? { "content-length": String(size) } : {}),
  };
};

function requestOf({ method, path, by, headers }: Sent, body?: ReadableStream): Request {
  const token = path.startsWith("/v2/") ? by.registryToken : by.apiToken;
  return new Request(`http://localhost:8787${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(path.includes("/manifests/") ? { "content-type": manifestType } : {}),
      ...headers,
    },
    ...(body ? { body } : {}),
  });
}

/** Waits for everything that the Worker does after its response. */
function newExecution() {
  const works: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void works.push(work.catch(() => {}));
  const settle = async () => {
    for (const work of works) await work;
  };
  return { execution: { waitUntil }, settle };
}

/** Sends a request that meets no other. */
export async function sendAlone(host: Host, sent: Sent): Promise<Answer> {
  const { execution, settle } = newExecution();
  const body = sent.chunks && new Response(new Blob(sent.chunks as BlobPart[])).body;
  const response = await host.platform.fetch(
    requestOf(sent, body ?? undefined),
    host.env,
    execution,
  );
  const bytes = new Uint8Array(await response.arrayBuffer().catch(() => new ArrayBuffer(0)));
  await settle();
  return { status: response.status, headers: response.headers, bytes, began: 0, ended: 0 };
}

export async function runSchedule(host: Host): Promise<void> {
  const { execution, settle } = newExecution();
  await host.platform.scheduled({}, host.env, execution);
  await settle();
}

/** Sends a request whose steps the scheduler orders. */
export function send(
  host: Host,
  scheduler: Scheduler,
  number: number,
  sent: Sent,
): Promise<Answer> {
  return new Promise((resolve) => {
    const began = scheduler.time;
    const answer = (status: number, headers = new Headers(), bytes = new Uint8Array()) =>
      resolve({ status, headers, bytes, began, ended: scheduler.time });
    const name = `${number} ${sent.method}`;
    const begins = `begins: ${sent.about}`;
    const onDeath = () => answer(0);
    scheduler.start({ name, begins, diesAt: sent.diesAt ?? 0, onDeath }, async (task) => {
      const { execution, settle } = newExecution();
      const body = sent.chunks && new GatedBody(scheduler, task, sent, () => answer(0));
      const response = await host.platform.fetch(
        requestOf(sent, body?.readable),
        host.env,
        execution,
      );
      body?.stop();
      scheduler.note(`${name}: ${response.status}`);
      const bytes = await response.arrayBuffer().catch((thrown: unknown) => {
        scheduler.note(`${name}: the response breaks off: ${thrown}`);
      });
      answer(bytes ? response.status : 0, response.headers, new Uint8Array(bytes ?? []));
      await settle();
    });
  });
}

/** A run of the schedule whose steps the scheduler orders. Resolves when it has ended or died. Throws its error. */
export function sendSchedule(
  host: Host,
  scheduler: Scheduler,
  number: number,
  { shift, diesAt = 0 }: { shift: number } & Fate,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const name = `${number} clean-up`;
    const begins = `begins: ${shift / hourMs} hours later`;
    scheduler.start({ name, begins, shift, diesAt, onDeath: resolve }, async () => {
      await runSchedule(host).then(resolve, reject);
    });
  });
}

/** The body of a request, whose chunks arrive one by one until the response has come. */
class GatedBody {
  readonly readable: ReadableStream<Uint8Array>;
  #isWanted = true;

  constructor(scheduler: Scheduler, task: Task, { chunks = [], lostAt }: Sent, onLost: () => void) {
    const { readable, writable } = new IdentityTransformStream();
    this.readable = readable;
    const writer = writable.getWriter();
    const isNeeded = () => this.#isWanted;
    const gate = (label: string) => scheduler.gate(label, { task, kind: "body", isNeeded });
    const feed = async () => {
      for (const [at, chunk] of chunks.entries()) {
        await gate(at === lostAt ? "connection lost" : `body, ${chunk.length} bytes`);
        if (at === lostAt) break;
        await writer.write(chunk);
      }
      if (lostAt === undefined) {
        await gate("body ends");
        return writer.close();
      }
      onLost();
      await writer.abort(new Error("the connection is lost"));
    };
    // No one reads the rest if the response comes before the end.
    feed().catch(() => {});
  }

  /** No more chunks arrive. */
  stop(): void {
    this.#isWanted = false;
  }
}

declare const crypto: { subtle: { timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean } };

export const isSame = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && crypto.subtle.timingSafeEqual(one, other);

/** Lists the repositories of an organization. */
export const reposPath = ({ uid }: Organization) =>
  `/registry/v2/repos?uidp.descendants_of=${uid}&page_size=50`;

/** The repositories in the response of a List. */
export function reposIn(bytes: Uint8Array): { uid: string; name: string }[] {
  const text = new TextDecoder().decode(bytes);
  const { repos } = (text.startsWith("{") ? JSON.parse(text) : {}) as {
    repos?: { uid: string; name: string }[];
  };
  return repos ?? [];
}
