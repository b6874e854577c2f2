/**
 * The parts of a browser that a login needs: cookies, redirects on demand, and the address of the platform.
 */
import { baseUrl, issuer } from "../../world/platform.ts";

/** One page that the browser opened. */
export interface OpenedPage {
  status: number;
  headers: Headers;
  text: string;
  /** The address that the page redirects to. */
  location: URL;
}

/** A browser with its own cookies. It follows no redirect by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** Further headers of every request. */
  headers: Record<string, string> = {};
  /** The address that was opened last. */
  last = "";

  /** Opens an address. Addresses in the platform's own URL go to the platform under test. */
  async open(address: string | URL, form?: Record<string, string>): Promise<OpenedPage> {
    const asked = new URL(address, issuer);
    this.last = asked.href;
    const isPlatform = asked.origin === issuer;
    const at = isPlatform ? `${baseUrl()}${asked.pathname}${asked.search}` : asked.href;
    const cookie = [...this.cookies]
      .filter(([key]) => key.startsWith(`${asked.host} `))
      .map(([key, value]) => `${key.split(" ")[1]}=${value}`)
      .join("; ");
    const response = await fetch(at, {
      redirect: "manual",
      headers: cookie === "" ? this.headers : { ...this.headers, cookie },
      ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
    });
    for (const one of response.headers.getSetCookie()) this.#keep(asked.host, one);
    const next = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: new URL(next ?? "about:blank", asked),
    };
  }

  /** Follows redirects up to the first other response, or up to an address outside the platform. */
  async follow(address: string | URL, isEnd: (at: URL) => boolean): Promise<OpenedPage> {
    let opened = await this.open(address);
    while (opened.status >= 300 && opened.status < 400 && !isEnd(opened.location)) {
      opened = await this.open(opened.location);
    }
    return opened;
  }

  #keep(host: string, header: string): void {
    const [pair = ""] = header.split(";");
    const at = pair.indexOf("=");
    const key = `${host} ${pair.slice(0, at)}`;
    if (/max-age=0|expires=thu, 01 jan 1970/i.test(header)) this.cookies.delete(key);
    else this.cookies.set(key, pair.slice(at + 1));
  }
}
