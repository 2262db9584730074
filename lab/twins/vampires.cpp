// The C++ twin of the Vampires vs Werewolves play-out (src/noctagon/games/vampires/rules/kernel.py and playout.py): the same
// record, the same algorithm, the same random numbers in the same order, so that the counts agree and the seconds can
// be compared.
//
//   g++ -O3 -march=native -std=c++17 -o vampires vampires.cpp
//   ./vampires PLAYOUTS SEED [REPEAT]
//
// prints TURNS CHECKSUM SECONDS: the plies of all play-outs; three times the vampires left at their ends, plus the
// werewolves left, plus the generator's last state modulo 2^31; the best time of REPEAT.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr char START[] =
    "10x10 H3,0:5 H1,1:3 H8,1:1 H5,2:2 H3,3:9 H7,3:7 H0,4:4 H4,4:6 H5,5:6 H9,5:4 H2,6:7 H6,6:9 H4,7:2 H1,8:1 H8,8:3 "
    "H6,9:5 V7,5:8 W2,4:8 V 0";
constexpr int PLIES = 200;

constexpr int HOUSES = 512, GROUPS = 128, HEADER = 11;
constexpr int32_t UNROLLED = INT32_MIN;
constexpr int SERVER = 1;
enum { GOES_ON, ELIMINATION, BOTH_GONE, MAJORITY, PLY_LIMIT };
constexpr int DRAW = 2;

struct State {
    int32_t rows, columns, mover, ply, plies, server, majority, houses;
    int32_t groups[2], people[2];
    int32_t house_cell[HOUSES], house_count[HOUSES];
    int32_t group_cell[2][GROUPS], group_count[2][GROUPS];
};

struct Turn {
    uint64_t seed;
    int64_t n;
    int32_t moves[GROUPS][5];  // x, y, count, target x, target y
    int32_t dice[GROUPS];
};

inline double next_random(Turn& t) {
    uint64_t z = t.seed += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * (1.0 / 9007199254740992.0);
}

inline double odds(int64_t attackers, int64_t defenders) {
    if (attackers == defenders) return 0.5;
    if (attackers < defenders) return attackers / (2.0 * defenders);
    return static_cast<double>(attackers) / defenders - 0.5;
}

inline int64_t survivors(Turn& t, int64_t count, double p) {
    int64_t alive = 0;
    for (int64_t i = 0; i < count; ++i)
        if (next_random(t) < p) ++alive;
    return alive;
}

inline int64_t fight(Turn& t, int64_t attackers, int64_t defenders, bool humans) {
    const double p = odds(attackers, defenders);
    if (next_random(t) < p) return survivors(t, attackers + (humans ? defenders : 0), p);
    return -survivors(t, defenders, 1.0 - p);
}

inline int find_group(const State& s, int species, int cell) {
    for (int i = 0; i < s.groups[species]; ++i)
        if (s.group_cell[species][i] == cell) return i;
    return -1;
}

inline int find_house(const State& s, int cell) {
    for (int i = 0; i < s.houses; ++i)
        if (s.house_cell[i] == cell) return i;
    return -1;
}

inline void drop_group(State& s, int species, int i) {
    const int last = --s.groups[species];
    s.group_cell[species][i] = s.group_cell[species][last];
    s.group_count[species][i] = s.group_count[species][last];
}

inline void drop_house(State& s, int i) {
    const int last = --s.houses;
    s.house_cell[i] = s.house_cell[last];
    s.house_count[i] = s.house_count[last];
}

inline void settle(State& s, int species, int cell, int64_t count) {
    if (s.server == SERVER) count &= 255;
    if (count <= 0) return;
    const int i = s.groups[species]++;
    s.group_cell[species][i] = cell;
    s.group_count[species][i] = static_cast<int32_t>(count);
    s.people[species] += static_cast<int32_t>(count);
}

inline bool is_random(const State& s, int64_t attackers, int64_t defenders, bool humans) {
    if (humans) return attackers < defenders;
    if (2 * attackers >= 3 * defenders) return false;
    return s.server == SERVER || 2 * defenders < 3 * attackers;
}

inline int leader(const State& s) {
    if (s.people[0] == s.people[1]) return DRAW;
    return s.people[0] > s.people[1] ? 0 : 1;
}

inline int ended(const State& s) {
    if (s.people[0] == 0 && s.people[1] == 0) return BOTH_GONE + 8;
    if (s.people[1] == 0) return ELIMINATION;
    if (s.people[0] == 0) return ELIMINATION + 8;
    if (s.majority)
        for (int species = 0; species < 2; ++species)
            if (2 * s.groups[species] > s.rows * s.columns) return MAJORITY + 8 * species;
    if (s.ply >= s.plies) return PLY_LIMIT + 8 * leader(s);
    return GOES_ON;
}

inline int64_t arrivals(const Turn& t, int64_t i) {
    const int tx = t.moves[i][3], ty = t.moves[i][4];
    for (int64_t j = 0; j < i; ++j)
        if (t.moves[j][3] == tx && t.moves[j][4] == ty) return 0;
    int64_t total = t.moves[i][2];
    for (int64_t j = i + 1; j < t.n; ++j)
        if (t.moves[j][3] == tx && t.moves[j][4] == ty) total += t.moves[j][2];
    return total;
}

inline int clash(State& s, Turn& t, int cell, int64_t attackers, int i, bool humans, int fights) {
    const int foe = 1 - s.mover;
    const int64_t defenders = humans ? s.house_count[i] : s.group_count[foe][i];
    int64_t left;
    if (is_random(s, attackers, defenders, humans)) {
        if (t.dice[fights] == UNROLLED) t.dice[fights] = static_cast<int32_t>(fight(t, attackers, defenders, humans));
        left = t.dice[fights++];
    } else if (humans) {
        left = attackers + defenders;
    } else if (2 * attackers >= 3 * defenders) {
        left = attackers;
    } else {
        left = -defenders;
    }

    if (humans) {
        if (left < 0)
            s.house_count[i] = static_cast<int32_t>(-left);
        else
            drop_house(s, i);
    } else {
        s.people[foe] -= static_cast<int32_t>(defenders);
        if (left < 0) {
            s.group_count[foe][i] = static_cast<int32_t>(-left);
            s.people[foe] -= static_cast<int32_t>(left);
        } else {
            drop_group(s, foe, i);
        }
    }
    if (left > 0) settle(s, s.mover, cell, left);
    return fights;
}

inline int meet(State& s, Turn& t, int cell, int64_t attackers, int fights) {
    const int mover = s.mover;
    int i = find_group(s, mover, cell);
    if (i >= 0) {
        attackers += s.group_count[mover][i];
        s.people[mover] -= s.group_count[mover][i];
        drop_group(s, mover, i);
    } else {
        i = find_group(s, 1 - mover, cell);
        if (i >= 0) return clash(s, t, cell, attackers, i, false, fights);
        i = find_house(s, cell);
        if (i >= 0) return clash(s, t, cell, attackers, i, true, fights);
    }
    settle(s, mover, cell, attackers);
    return fights;
}

inline void leave(State& s, int cell, int32_t count) {
    const int mover = s.mover, i = find_group(s, mover, cell);
    s.people[mover] -= count;
    if (s.group_count[mover][i] == count)
        drop_group(s, mover, i);
    else
        s.group_count[mover][i] -= count;
}

inline int play(State& s, Turn& t) {
    for (int64_t i = 0; i < t.n; ++i) leave(s, t.moves[i][1] * 256 + t.moves[i][0], t.moves[i][2]);
    int fights = 0;
    for (int64_t i = 0; i < t.n; ++i) {
        const int64_t attackers = t.n > 1 ? arrivals(t, i) : t.moves[i][2];
        if (attackers > 0) fights = meet(s, t, t.moves[i][4] * 256 + t.moves[i][3], attackers, fights);
    }
    s.mover = 1 - s.mover;
    ++s.ply;
    return fights;
}

inline int neighbour(const State& s, int cell, int direction) {
    const int down = direction / 3 - 1;
    const int x = (cell & 255) + direction - 3 * down - 4, y = (cell >> 8) + down;
    if (direction == 4 || x < 0 || x >= s.columns || y < 0 || y >= s.rows) return -1;
    return y * 256 + x;
}

inline bool barred(const State& s, const Turn& t, int cell, int target, int64_t count) {
    int64_t arriving = count;
    for (int64_t i = 0; i < t.n; ++i) {
        const int source = t.moves[i][1] * 256 + t.moves[i][0], goal = t.moves[i][4] * 256 + t.moves[i][3];
        if (source == target || goal == cell) return true;
        if (goal == target) arriving += t.moves[i][2];
    }
    return s.server == SERVER && arriving > 255;
}

inline void add_move(Turn& t, int cell, int target, int32_t count) {
    const int64_t n = t.n;
    t.moves[n][0] = cell & 255, t.moves[n][1] = cell >> 8, t.moves[n][2] = count;
    t.moves[n][3] = target & 255, t.moves[n][4] = target >> 8;
    t.dice[n] = UNROLLED;
    t.n = n + 1;
}

inline void any_move(const State& s, Turn& t) {
    const int i = static_cast<int>(next_random(t) * s.groups[s.mover]);
    int direction = static_cast<int>(next_random(t) * 9.0);
    const int cell = s.group_cell[s.mover][i];
    int target = neighbour(s, cell, direction);
    while (target < 0) {
        direction = (direction + 1) % 9;
        target = neighbour(s, cell, direction);
    }
    add_move(t, cell, target, s.group_count[s.mover][i]);
}

inline void random_turn(const State& s, Turn& t) {
    t.n = 0;
    for (int i = 0; i < s.groups[s.mover]; ++i) {
        const int cell = s.group_cell[s.mover][i], count = s.group_count[s.mover][i];
        const int target = neighbour(s, cell, static_cast<int>(next_random(t) * 9.0));
        if (target >= 0 && (t.n == 0 || !barred(s, t, cell, target, count))) add_move(t, cell, target, count);
    }
    if (t.n == 0) any_move(s, t);
}

void unpack(State& s, const int32_t* packed) {
    s.rows = packed[0], s.columns = packed[1], s.mover = packed[2], s.ply = packed[3], s.plies = packed[4];
    s.server = packed[5], s.majority = packed[6], s.houses = packed[8];
    int at = HEADER;
    for (int i = 0; i < s.houses; ++i, at += 2) {
        s.house_cell[i] = packed[at];
        s.house_count[i] = packed[at + 1];
    }
    for (int species = 0; species < 2; ++species) {
        s.groups[species] = packed[9 + species];
        s.people[species] = 0;
        for (int i = 0; i < s.groups[species]; ++i, at += 2) {
            s.group_cell[species][i] = packed[at];
            s.group_count[species][i] = packed[at + 1];
            s.people[species] += packed[at + 1];
        }
    }
}

int64_t playout(State& s, Turn& t, const int32_t* packed) {
    unpack(s, packed);
    int64_t turns = 0;
    while (ended(s) == GOES_ON) {
        random_turn(s, t);
        play(s, t);
        ++turns;
    }
    return turns;
}

// The numbers of packing.py for a text like START, whose pieces already stand in their canonical order.
std::vector<int32_t> pack(const std::string& text) {
    std::istringstream words(text);
    std::string size, word;
    words >> size;
    int rows = 0, columns = 0, ply = 0;
    std::sscanf(size.c_str(), "%dx%d", &rows, &columns);
    std::vector<int32_t> packed = {rows, columns, 0, 0, PLIES, 0, 0, 0, 0, 0, 0};
    while (words >> word && word.size() > 1) {
        char kind;
        int x, y, count;
        if (std::sscanf(word.c_str(), "%c%d,%d:%d", &kind, &x, &y, &count) != 4) std::abort();
        ++packed[kind == 'H' ? 8 : kind == 'V' ? 9 : 10];
        packed.push_back(y * 256 + x);
        packed.push_back(count);
    }
    words >> ply;
    packed[2] = word == "W";
    packed[3] = ply;
    return packed;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        std::fprintf(stderr, "usage: vampires PLAYOUTS SEED [REPEAT]\n");
        return 2;
    }
    const int64_t playouts = std::atoll(arguments[1]);
    const uint64_t first_seed = std::strtoull(arguments[2], nullptr, 10);
    const int repeat = count > 3 ? std::atoi(arguments[3]) : 1;
    const std::vector<int32_t> packed = pack(START);

    static State s;
    static Turn t;
    int64_t turns = 0;
    uint64_t checksum = 0;
    double best = 1e300;
    for (int round = 0; round < repeat; ++round) {
        t.seed = first_seed;
        int64_t people[2] = {0, 0};
        turns = 0;
        const auto start = std::chrono::steady_clock::now();
        for (int64_t i = 0; i < playouts; ++i) {
            turns += playout(s, t, packed.data());
            people[0] += s.people[0];
            people[1] += s.people[1];
        }
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count());
        checksum = people[0] * 3 + people[1] + t.seed % (uint64_t{1} << 31);
    }
    std::printf("%lld %llu %.6f\n", static_cast<long long>(turns), static_cast<unsigned long long>(checksum), best);
}
