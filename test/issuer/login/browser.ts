/** A browser as far as a login needs one: cookies, redirects by hand, and where the platform is. */
import { baseUrl, issuer } from "../../world/platform.ts";

/** One page that was opened. */
export interface OpenedPage {
  status: number;
  headers: Headers;
  text: string;
  /** Where it sends the browser next. */
  location: URL;
}

/** A browser with its own cookies. It follows no redirect by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** The address opened last. */
  last = "";

  /** Opens an address; those of the platform are the ones that it calls its own. */
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
      headers: cookie === "" ? {} : { cookie },
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

  /** Follows redirects until something other than a redirect, or an address outside, answers. */
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
