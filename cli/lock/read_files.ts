/** Reads the candidates and finds their image references. */
import { open, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { reasonOf } from "../failure.ts";
import { readCompose } from "./compose.ts";
import { type LinkedFile, readDevcontainer } from "./devcontainer.ts";
import { readDockerfile } from "./dockerfile.ts";
import { type CandidateFile, type FileKind, isOutside, shownPath } from "./find_files.ts";
import { readHelmValues } from "./helm.ts";
import { kubernetesKind, readKubernetes } from "./kubernetes.ts";
import {
  addNote,
  addProblem,
  type FoundReferences,
  newReferences,
  type Problem,
} from "./references.ts";
import { newSource, type Source } from "./source.ts";
import { entriesOf, readYaml, valuesOf, type YamlDocument } from "./yaml_document.ts";

/** In bytes. A larger file is not written by a person. */
const maxBytes = 1024 * 1024;

/** The references in all files, and how many files were read. */
export type Findings = { references: FoundReferences[]; problems: Problem[]; filesRead: number };

/** Reads every candidate once, and the files that devcontainers name. */
export async function readFiles(
  cwd: string,
  candidates: CandidateFile[],
  host: string,
): Promise<Findings> {
  const findings: Findings = { references: [], problems: [], filesRead: 0 };
  const known = new Set(candidates.map(({ path }) => path));
  // The list grows while it is read.
  const queue = [...candidates];
  for (const file of queue) {
    const { references, linked = [], problem } = await readCandidate(cwd, file, host);
    findings.filesRead += 1;
    if (references) findings.references.push(references);
    const addProblemOf = (message: string) =>
      findings.problems.push({ file: file.path, line: 1, column: 1, message });
    if (problem) addProblemOf(problem);
    for (const link of linked) {
      const full = resolve(cwd, dirname(file.path), link.path);
      const path = shownPath(cwd, full);
      if (known.has(path)) continue;
      known.add(path);
      if (await isInside(cwd, full)) queue.push({ path, kind: link.kind, isNamed: true });
      else addProblemOf(outsideMessage(link));
    }
  }
  return findings;
}

const outsideMessage = ({ path }: LinkedFile) =>
  `It names ${path}, which is not a file below the current folder, so that file was not read.`;

async function isInside(cwd: string, full: string): Promise<boolean> {
  try {
    return !isOutside(await realpath(cwd), await realpath(full));
  } catch {
    return false;
  }
}

/** The references of a file, and the files that it names. */
type ReadReferences = { references: FoundReferences; linked: LinkedFile[] };

async function readCandidate(
  cwd: string,
  { path, kind, isNamed }: CandidateFile,
  host: string,
): Promise<Partial<ReadReferences> & { problem?: string }> {
  const bytes = await readText(resolve(cwd, path));
  if (typeof bytes !== "string") return readReferences(newSource(path, bytes), kind, host);
  return isNamed ? { problem: bytes } : {};
}

/** Finds the references in the text of a file. */
export function readReferences(source: Source, kind: FileKind, host: string): ReadReferences {
  const references = newReferences(source, host);
  if (kind === "devcontainer") return { references, linked: readDevcontainer(references) };
  const isOurs = source.text.includes(host);
  if (kind === "dockerfile") readDockerfile(references);
  // Files without the name of the registry are not worth parsing, unless a variable may contain it.
  else if (isOurs || (kind === "compose" && source.text.includes("$"))) {
    readYamlFile(references, kind, isOurs);
  }
  return { references, linked: [] };
}

/** Returns the bytes of a text file, or why there are none. */
async function readText(full: string): Promise<Buffer | string> {
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    file = await open(full);
    const stats = await file.stat();
    if (!stats.isFile()) return "It is not a file.";
    if (stats.size > maxBytes) return "It is larger than 1 MiB, so it was not read.";
    const bytes = await file.readFile();
    return bytes.includes(0) ? "It is not a text file in UTF-8, so it was not read." : bytes;
  } catch (thrown) {
    return `It cannot be read (${reasonOf(thrown)}).`;
  } finally {
    await file?.close();
  }
}

function readYamlFile(references: FoundReferences, kind: FileKind, isOurs: boolean): void {
  const { documents, error } = readYaml(references.source);
  if (error && isOurs) addUnparsed(references, error);
  for (const document of documents) readDocument(references, kind, document);
}

/** A template of YAML becomes YAML only when it is rendered. */
function addUnparsed(
  references: FoundReferences,
  error: { message: string; offset: number },
): void {
  const { message, offset } = error;
  if (references.source.text.includes("{{"))
    addNote(
      references,
      offset,
      "This is a template, so it was not read. Lock the values that it uses.",
    );
  else addProblem(references, offset, `This is not valid YAML, so it was not read: ${message}`);
}

function readDocument(references: FoundReferences, kind: FileKind, document: YamlDocument): void {
  const resource = kubernetesKind(document);
  if (kind === "compose") readCompose(references, document);
  else if (kind === "values") readHelmValues(references, document);
  else if (resource === undefined) {
    if (hasServices(document)) readCompose(references, document);
  } else {
    readKubernetes(references, document);
    if (resource === "HelmRelease") readRelease(references, document);
  }
}

/** Compose files may have any name. */
const hasServices = (document: YamlDocument) =>
  valuesOf(document, document.root, "services").some(
    (service) => entriesOf(document, service).length > 0,
  );

function readRelease(references: FoundReferences, document: YamlDocument): void {
  for (const spec of valuesOf(document, document.root, "spec")) {
    for (const values of valuesOf(document, spec, "values")) {
      readHelmValues(references, document, values);
    }
  }
}
