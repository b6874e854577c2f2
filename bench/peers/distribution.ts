/**
 * CNCF Distribution with the tags on its disk, if the program is on this machine. Callers send tokens as in practice:
 * JWTs that a token server signs and that Distribution verifies with a certificate
 * (distribution.github.io/distribution/spec/auth/jwt).
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { SignJWT } from "jose";
import { endProgram, endWithRun, freePort } from "../programs.ts";
import { digest, type Peer, pageSize, tagNames } from "./listing.ts";

const image = "bench/image";
const issuer = "bench";
const service = "registry.bench";
/** How long a start may take, in milliseconds. */
const timeoutMs = 10_000;

const run = promisify(execFile);

/** A program of Distribution, and how to install it. */
export interface Program {
  command: string;
  /** Undefined if the program is not on this machine. */
  version: string | undefined;
  source: string;
}

/** Version 2, which returns all tags whatever `n` is, and version 3, which has pages. */
const knownPrograms = [
  { command: "docker-registry", source: "`apt-get install docker-registry` (Debian)" },
  {
    command: "registry",
    source: "`go install github.com/distribution/distribution/v3/cmd/registry@v3.1.2`",
  },
];

/** Returns the programs of Distribution with their versions, if they are on PATH. */
export const programs = (): Promise<Program[]> =>
  Promise.all(
    knownPrograms.map(async (program) => ({
      ...program,
      version: await versionOf(program.command),
    })),
  );

async function versionOf(command: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(command, ["--version"]);
    return /\/distribution(?:\/v\d+)? v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** Writes a key and its certificate into a folder, which several programs can read at once. */
export async function makeCertificate(folder: string): Promise<void> {
  await run("openssl", [
    ..."req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2".split(" "),
    ...["-subj", "/CN=bench", "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")],
  ]);
}

/** Writes the tags and a key into a folder, which several programs can read at once. */
export async function makeRegistry(folder: string): Promise<void> {
  const tags = join(folder, "data/docker/registry/v2/repositories", image, "_manifests/tags");
  for (const name of tagNames) {
    const current = join(tags, name, "current");
    mkdirSync(current, { recursive: true });
    writeFileSync(join(current, "link"), digest);
  }
  await makeCertificate(folder);
}

/** A running program of Distribution. The origin has no trailing slash. */
export interface RunningDistribution {
  name: string;
  origin: string;
  stop(): Promise<void>;
}

/** Starts one program on a folder with a certificate. Its content is in the folder `data` there. */
export async function startDistribution(
  { command, version }: Program,
  folder: string,
): Promise<RunningDistribution> {
  const port = await freePort();
  const config = join(folder, `${command}.yml`);
  await writeFile(config, configOf(folder, port));
  const origin = `http://127.0.0.1:${port}`;
  const child = await start(command, config, `${origin}/v2/`);
  return { name: `Distribution ${version}`, origin, stop: () => endProgram(child) };
}

/** Starts one program on the folder of {@link makeRegistry}. */
export async function openDistribution(program: Program, folder: string): Promise<Peer> {
  const { name, origin, stop } = await startDistribution(program, folder);
  const list = `${origin}/v2/${image}/tags/list?n=${pageSize}`;
  const headers = { authorization: `Bearer ${await makeToken(folder, image, ["pull"])}` };
  return {
    name,
    firstPage: { url: list, headers },
    lastPage: { url: `${list}&last=${tagNames.at(-pageSize - 1)}`, headers },
    namesOf: (body) => (body as { tags: string[] }).tags,
    stop,
  };
}

const configOf = (folder: string, port: number) => `version: 0.1
log:
  level: error
  accesslog:
    disabled: true
storage:
  filesystem:
    rootdirectory: ${JSON.stringify(join(folder, "data"))}
  cache:
    blobdescriptor: inmemory
http:
  addr: 127.0.0.1:${port}
auth:
  token:
    realm: http://127.0.0.1/token
    service: ${service}
    issuer: ${issuer}
    rootcertbundle: ${JSON.stringify(join(folder, "cert.pem"))}
`;

/** Starts the program and waits until it rejects a caller without a token. */
async function start(command: string, config: string, url: string): Promise<ChildProcess> {
  // Distribution's own environment variables would override the configuration, and version 3 sends traces by default.
  const env = { PATH: process.env.PATH, OTEL_TRACES_EXPORTER: "none" };
  const child = spawn(command, ["serve", config], { env, stdio: ["ignore", "ignore", "pipe"] });
  endWithRun(child);
  let said = "";
  child.stderr.on("data", (text) => {
    said = `${said}${text}`.slice(-2_000);
  });
  const late = Date.now() + timeoutMs;
  while (Date.now() < late && child.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 401) return child;
    await pause(50);
  }
  child.kill();
  throw new Error(`${command} did not start: ${said}`);
}

/** Returns a token for actions on an image, such as `pull`. It is valid for an hour. */
export async function makeToken(folder: string, name: string, actions: string[]): Promise<string> {
  const certificate = new X509Certificate(await readFile(join(folder, "cert.pem")));
  const access = [{ type: "repository", name, actions }];
  return new SignJWT({ access })
    .setProtectedHeader({ alg: "ES256", typ: "JWT", x5c: [certificate.raw.toString("base64")] })
    .setIssuer(issuer)
    .setSubject("bench")
    .setAudience(service)
    .setIssuedAt()
    .setNotBefore("0s")
    .setExpirationTime("1h")
    .sign(createPrivateKey(await readFile(join(folder, "key.pem"))));
}
