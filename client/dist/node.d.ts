import { type TokenSource } from "./tokens.ts";
/**
 * The token that a command prints, such as `["platformctl", "auth", "token"]`; it runs without a
 * shell. A JWT is kept until shortly before its `exp`; for what is no JWT the command runs before
 * every call. Rejects with what the command says on standard error.
 */
export declare function commandToken(command: readonly [string, ...string[]]): TokenSource;
/**
 * The token that a file holds. The file is read again when it has changed or its token is refused:
 * projected service account tokens of Kubernetes and job tokens of CI are renewed in place.
 */
export declare function fileToken(path: string): TokenSource;
