/** A file of the console's browser code. */
export interface Asset {
  /** Its `Content-Type`. */
  type: string;
  /** Its bytes in base64, by `Content-Encoding`: compressed when it was built, or as they are. */
  bodies: { br: string; gzip: string } | { identity: string };
}

/** The console's browser code as it was built: see infra/console/build.ts. */
export interface ConsoleApp {
  /** All files by name. A name contains a hash of the contents. */
  assets: Record<string, Asset>;
  /** The names of the files that the page loads first. */
  script: string;
  style: string;
  modules: string[];
  font: string;
  icon: string;
}
