/**
 * Reads the tags of the races' readmes, which have no attributes. The runtime's HTMLRewriter never finishes
 * within a transaction of a Durable Object, and the races run in one.
 */
interface Handlers {
  element(element: { tagName: string; attributes: string[][] }): void;
}

class Tags {
  #handlers: Handlers | undefined;

  on(_: string, handlers: Handlers): this {
    this.#handlers = handlers;
    return this;
  }

  onDocument(): this {
    return this;
  }

  transform(response: Response) {
    const arrayBuffer = async () => {
      for (const [, tagName = ""] of (await response.text()).matchAll(/<([a-z][\w-]*)>/g)) {
        this.#handlers?.element({ tagName, attributes: [] });
      }
    };
    return { arrayBuffer };
  }
}

export function patchRewriter(): void {
  Object.defineProperty(globalThis, "HTMLRewriter", { value: Tags });
}
