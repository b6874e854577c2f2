declare module "autocannon" {
  interface Asked {
    url: string;
    connections: number;
    /** In seconds. */
    duration: number;
    /** The milliseconds between checks of whether the duration has passed. */
    sampleInt?: number;
    headers?: Record<string, string>;
    method?: string;
    /** Called with each connection before its first request. */
    setupClient?: (client: Client) => unknown;
  }
  /** A connection. Its parser is that of the package http-parser-js. */
  export interface Client {
    parser: { body_bytes: number | null; isChunked: boolean };
    on(event: "headers", listener: () => void): this;
  }
  interface Result {
    requests: { average: number };
    /** In milliseconds. */
    latency: { p50: number; p99: number };
    non2xx: number;
    errors: number;
  }
  interface Run extends Promise<Result> {
    /** `client` represents a connection. `latency` is in milliseconds. */
    on(
      event: "response",
      listener: (client: object, status: number, bytes: number, latency: number) => void,
    ): this;
  }
  export default function autocannon(asked: Asked): Run;
}
