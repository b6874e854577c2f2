/** The parts of a row of the table in systems.ts: a system that signs tokens for workloads. */

/** An exact value or a pattern, which must match the whole value. */
export interface Matcher {
  value: string;
  isPattern: boolean;
}

/** The tokens that an identity accepts. */
export interface TokenMatch {
  issuer: string;
  subject: Matcher;
  /** The audience, if it is another one than the registry or the issuer of the platform. */
  audience?: string;
  /** Further claims with their exact values. */
  claims: Readonly<Record<string, string>>;
}

/** The texts that a person has entered, by the names of the fields. A mark is `true` or empty. */
export type Values = Readonly<Record<string, string>>;

/** A fact that a person knows about their workload. Text in backticks is code. */
export interface WorkloadField {
  name: string;
  label: string | ((values: Values) => string);
  hint?: string;
  /** The text that the guide shows. */
  example: string;
  /** The text that a form contains at first. The default is none. */
  initial?: string;
  /** The choices, each with its words. */
  options?: readonly (readonly [string, string])[];
  /** Whether it is a mark, and not a text. */
  isMark?: boolean;
  isOptional?: (values: Values) => boolean;
  isShown?: (values: Values) => boolean;
}

/** A file with a whole job: it builds an image, logs in, pushes and pulls. */
export interface JobFile {
  path: string;
  language: "yaml" | "groovy" | "shell";
  text: string;
}

/** The names of the systems, as addresses of the console have them. */
export type SystemId =
  | "github"
  | "gitlab"
  | "buildkite"
  | "circleci"
  | "jenkins"
  | "bitbucket"
  | "aws-token"
  | "google"
  | "azure";

/** A system that signs tokens for its workloads. */
export interface WorkloadSystem {
  id: SystemId;
  title: string;
  /** The kind of workload, in words. */
  about: string;
  fields: readonly WorkloadField[];
  match: (values: Values) => TokenMatch;
  /** How a job gets a token, in Markdown. */
  token: string;
  /** The steps in the system, and its traps. Sentences in Markdown. */
  notes: readonly string[];
  job: JobFile;
  /** The documentation of the system that this row follows. */
  source: string;
}

/** A text as a part of a regular expression that matches only itself. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

export const exact = (value: string): Matcher => ({ value, isPattern: false });
export const pattern = (value: string): Matcher => ({ value, isPattern: true });

/** The claims that have a value. */
export const claimsOf = (claims: Values): Values =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== ""));

/** Whether an identity is found by the token alone. Otherwise the user name of the login is the uid of the identity. */
export const isFoundByToken = ({ subject, audience, claims }: TokenMatch): boolean =>
  !subject.isPattern && audience === undefined && Object.keys(claims).length === 0;

/** The values of a form before anyone has entered something. */
export const initialValues = ({ fields }: WorkloadSystem): Values =>
  Object.fromEntries(fields.map(({ name, initial = "" }) => [name, initial]));

/** The values of the guide. */
export const exampleValues = ({ fields }: WorkloadSystem): Values =>
  Object.fromEntries(fields.map(({ name, example }) => [name, example]));
