// Style sheets, which the bundler handles: a CSS module exports the names of its classes.
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
declare module '*.css' {}
declare module '*.svg' {
  const address: string;
  export default address;
}
