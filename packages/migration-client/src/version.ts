/** Version of this package: a test keeps it equal to package.json, which a bundle does not contain. */
export const VERSION = "0.0.0";
