"""The service under test, for all scripts: started, fed, asked, attacked, counted and stopped in one way.

- `service`: the built binary as a child process: its log, its memory, its end.
- `wire`: HTTP by bytes on kept connections, a client on top of it that says what was lost, media types.
- `data`: made-up features and the files that they come in; certificates.
- `ledger`: the faults of a run, and what of writes was acknowledged.
- `attacks`: the table of attacks.
- `keeper`: processes and folders that are gone when a script is, however it ends.
- `postgres`: throwaway servers of PostgreSQL.
- `waiting`: for what comes by itself.
- `packages`: files of Debian's packages that aren't installed.
- `preload`: libraries in C (`../preload`) that give a process a clock that can be set, a disk that fails, or a count.

The standard library is all that it needs. A script begins with

    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))

`service.sh` beside this package does the same for scripts in bash.
"""
